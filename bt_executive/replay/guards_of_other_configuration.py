"""Evaluates the guards of another configuration at each tick of a recorded run.

Sensor readings, resets and parameters are reduced again, because thresholds such as that of a low
battery apply to the reduction. Goals, calls, leases and budgets are those of the recorded run: the
effects of other decisions are not simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.core.executive_ports import Proposal
from bt_executive.core.given_permits import Permits
from bt_executive.core.guard_view_and_verdict import GuardReading, Verdict
from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.core.inputs import (
    BatteryReceived,
    Input,
    MemoryReceived,
    ParametersSet,
    PoseReceived,
    ResetRequested,
    SafetyEvent,
    StatusReceived,
    TopicReceived,
    ZonesReceived,
)
from bt_executive.core.modes import arbitrate
from bt_executive.core.reduce_robot_inputs import with_zones
from bt_executive.core.state import BrainState
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.replay.replayed_ports import Tape, replayed_ports
from bt_executive.skills.tool_registry import Registry, resolvers_of
from bt_executive.store.tick_recorder import DRAIN
from bt_executive.tree.behaviours.planning.check_proposal import CheckProposal
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.branch_conditions import why_no_approval
from bt_executive.tree.context import Context
from bt_executive.tree.state_between_ticks import PersistentState
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.errors import ConfigError

SENSED_INPUTS = (
    *(PoseReceived, StatusReceived, BatteryReceived, ZonesReceived, MemoryReceived, TopicReceived),
    *(SafetyEvent, ResetRequested),
)


class OtherConfiguration:
    """Follows a replayed run and judges its proposals by `config`.

    Attributes:
        notes: Sentences about parameters that were set in the run and are invalid here.

    Raises:
        ConfigError: The tools of the configuration cannot be used.
    """

    def __init__(self, config: Config) -> None:
        self._tape = Tape()
        memory = MemorySink(1)
        tracer = Tracer('', [], lambda: 0.0)
        ports, registry = replayed_ports(self._tape, tracer, memory), Registry(config)
        self._sensing = Context(config, registry, ports)
        self._persistent = PersistentState(Permits(ports.robot.permit))
        self._judging = Context(config, registry, ports, self._persistent)
        self._sense = Sense('Look at the world', self._sensing)
        self._check = CheckProposal('Check the proposal', self._judging)
        self.notes: list[str] = []

    def apply(self, now: Now, inputs: Sequence[Input]) -> None:
        """Reduces the inputs of a tick; to be called before the tick is replayed."""
        for event in inputs:
            if isinstance(event, ParametersSet):
                self._set(event)
        sensed = [event for event in inputs if isinstance(event, SENSED_INPUTS)]
        self._tape.values = {(DRAIN, 1): sensed}
        self._tape.calls.clear()
        self._sensing.begin_tick(now)
        self._sense.update()
        self._sensing.tracer.flush()

    def judge(self, replayed: Context, proposal: Proposal) -> tuple[Verdict, bool]:
        """Return the verdict on a proposal at this tick, and whether it needs approval."""
        self._follow(replayed)
        verdict = self._check.judge(proposal)
        return verdict, verdict.allowed and why_no_approval(self._judging) is None

    def refusal_while_running(self, replayed: Context) -> GuardReading | None:
        """Return the reading of the first guard that would stop the running tool at this tick."""
        self._follow(replayed)
        context, tool = self._judging, self._judging.proposed_tool
        if tool is None:
            return None
        resolvable = resolvers_of(tool, context.registry, context.config.executive.guards)
        view = context.guards.view()
        conditions = [each for each in tool.preconditions if each.name not in resolvable]
        readings = (condition.read(view) for condition in (*ALWAYS_ASKED, *conditions))
        return next((reading for reading in readings if not reading.allowed), None)

    def _set(self, event: ParametersSet) -> None:
        try:
            self._sensing.reconfigure(event.values)
            self._judging.reconfigure(event.values)
        except ConfigError as error:
            self.notes.append(f'What was set while the run went on does not fit here: {error}.')

    def _follow(self, replayed: Context) -> None:
        """Copies everything except the sensed state from the replayed run."""
        persistent = self._persistent
        persistent.calls, persistent.progress = replayed.calls, replayed.progress
        persistent.round, persistent.has_read = replayed.round, replayed.persistent.has_read
        persistent.state = self._merged(replayed.state)
        self._judging.begin_tick(replayed.now)

    def _merged(self, state: BrainState) -> BrainState:
        own = self._sensing.state
        robot = replace(
            state.robot,
            parts=own.robot.parts,
            parts_at=own.robot.parts_at,
            parts_unknown=own.robot.parts_unknown,
            awaited=own.robot.awaited,
            battery_state=own.robot.battery_state,
            battery_stale=own.robot.battery_stale,
        )
        world = replace(state.world, safety_reason=own.world.safety_reason)
        merged = replace(state, robot=robot, world=world, skills=own.skills)
        merged = with_zones(merged, self._judging.config.executive, state.world.keep_out)
        mode = arbitrate(merged)
        tasks = replace(merged.tasks, mode=mode.mode, preempt_reason=mode.preempt_reason)
        return replace(merged, tasks=tasks)
