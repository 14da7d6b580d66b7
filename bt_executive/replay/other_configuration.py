"""What the guards of another configuration say of each moment of a recorded run.

What the robot's sensors and people told is taken in again, because thresholds such as that of a
low battery decide on the way in. Goals, calls, leases and what was used up are those of the
recorded run: nothing of what would have been done instead is made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.core.arbitration import arbitrate
from bt_executive.core.event_memory import MemorySink
from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.core.inbox import (
    BatterySeen,
    Event,
    ParametersSet,
    PoseSeen,
    ResetRequested,
    SafetyEvent,
    StatusSeen,
    ZonesSeen,
)
from bt_executive.core.observe import with_zones
from bt_executive.core.ports import Proposal
from bt_executive.core.state import BrainState
from bt_executive.core.tracer import Tracer
from bt_executive.core.verdict import GuardReading, Verdict
from bt_executive.recording.tick_log import DRAIN
from bt_executive.replay.ports import (
    NoReporter,
    ReplayedInbox,
    ReplayedPlanner,
    ReplayedRobot,
    Tape,
)
from bt_executive.skills.policy import resolvers_of
from bt_executive.skills.registry import Registry
from bt_executive.tree.behaviours.planning.check_proposal import CheckProposal
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.conditions import who_need_not_agree
from bt_executive.tree.context import Context
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.errors import ConfigError

TAKEN_IN = (
    *(PoseSeen, StatusSeen, BatterySeen, ZonesSeen),
    *(SafetyEvent, ResetRequested),
)


class OtherConfiguration:
    """Follows a replayed run and judges its proposals by `config`.

    Raises:
        ConfigError: The tools of the configuration cannot be used.
    """

    def __init__(self, config: Config) -> None:
        self._tape = Tape()
        memory = MemorySink(1)
        self._context = Context(
            config=config,
            registry=Registry(config),
            inbox=ReplayedInbox(self._tape),
            robot=ReplayedRobot(self._tape),
            planner=ReplayedPlanner(self._tape),
            reporter=NoReporter(),
            tracer=Tracer('', [memory], lambda: 0.0),
            memory=memory,
        )
        self._sense = Sense('Look at the world', self._context)
        self._check = CheckProposal('Check the proposal', self._context)
        self._sensed = self._context.state
        self._calls = self._context.calls
        self.notes: list[str] = []  # on values that were set in the run and do not fit here

    def hear(self, now: Now, events: Sequence[Event]) -> None:
        """Takes in what a tick was told; to be called before the tick is replayed."""
        context = self._context
        context.now, context.state, context.calls = now, self._sensed, self._calls
        for event in events:
            if isinstance(event, ParametersSet):
                self._set(event)
        self._tape.told = {(DRAIN, 1): [each for each in events if isinstance(each, TAKEN_IN)]}
        self._tape.calls.clear()
        self._sense.update()
        context.tracer.flush()
        self._sensed = context.state

    def _set(self, event: ParametersSet) -> None:
        try:
            self._context.reconfigure(event.values)
        except ConfigError as error:
            self.notes.append(f'What was set while the run went on does not fit here: {error}.')

    def judge(self, replayed: Context, proposal: Proposal) -> tuple[Verdict, bool]:
        """The verdict on a proposal in this moment of the run, and whether a human is asked."""
        self._follow(replayed)
        verdict = self._check.judge(proposal)
        asks = verdict.allowed and who_need_not_agree(self._context) is None
        return verdict, asks

    def refusal_meanwhile(self, replayed: Context, proposal: Proposal) -> GuardReading | None:
        """The guard that would stop a tool which runs in this moment of the run."""
        self._follow(replayed)
        tool = self._context.registry.get(proposal.tool)
        if tool is None:
            return None
        settled = resolvers_of(tool, self._context.registry, self._context.config.executive.guards)
        view = self._context.view()
        asked = [each for each in tool.preconditions if each.name not in settled]
        readings = (each.read(view) for each in (*ALWAYS_ASKED, *asked))
        return next((each for each in readings if not each.allowed), None)

    def _follow(self, replayed: Context) -> None:
        """Everything but what was sensed is as in the replayed run."""
        context = self._context
        context.now, context.round, context.progress = (
            replayed.now,
            replayed.round,
            replayed.progress,
        )
        context.calls = replayed.calls
        context.state = self._merged(replayed.state)

    def _merged(self, state: BrainState) -> BrainState:
        own = self._sensed
        robot = replace(
            state.robot,
            parts=own.robot.parts,
            battery_state=own.robot.battery_state,
            battery_stale=own.robot.battery_stale,
        )
        world = replace(state.world, safety_reason=own.world.safety_reason)
        merged = replace(state, robot=robot, world=world, skills=own.skills)
        merged = with_zones(merged, self._context.config.executive, state.world.keep_out)
        mode = arbitrate(merged)
        tasks = replace(merged.tasks, mode=mode.mode, preempt_reason=mode.preempt_reason)
        return replace(merged, tasks=tasks)
