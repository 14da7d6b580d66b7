"""Modes, interrupts, the battery and the SAFE latch: `core/reduce.py` and `core/modes.py`.

Invariants:
- While SAFE is latched the mode is SAFE, and only an operator's reset ends that.
- A low battery never lets a goal be pursued, until a reading says that it is charged.
- While the operator's pause holds no goal is pursued; no goal and no agent lifts it.
- A stop is served before anything is pursued, and a pause from before it still holds after it.
- An agent's words lift nothing: no SAFE, no pause.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from bt_executive.core.goal_queue import AGENT, OPERATOR, Task
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalReceived,
    Input,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.core.modes import arbitrate
from bt_executive.core.observation_and_effects import Observation
from bt_executive.core.reduce import reduce
from bt_executive.core.reduce_operator_inputs import stop_served
from bt_executive.core.state import BrainState, Mode, UserInterruptType
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import Config

NOW = Now.at(100.0)
MOST_GOALS = 2
INPUTS: dict[str, Input] = {
    'a safety event': SafetyEvent('cliff', '/safety_events'),
    'the operator resets': ResetRequested(OPERATOR),
    'the operator stops': StopRequested(OPERATOR),
    'an agent stops': StopRequested(AGENT),
    'the operator pauses': PauseRequested(OPERATOR),
    'the operator resumes': ResumeRequested(OPERATOR),
    'the battery is low': BatteryReceived(100.0, 10.0),
    'the battery is in between': BatteryReceived(100.0, 40.0),
    'the battery is charged': BatteryReceived(100.0, 90.0),
    'the operator wants a goal': GoalReceived(Task('', 'look around', sender='operator')),
    'an agent wants a goal': GoalReceived(Task('', 'look around', sender='agent')),
    'an agent says resume': GoalReceived(Task('', 'resume', sender='agent')),
    'an agent says reset': GoalReceived(Task('', 'reset', sender='agent')),
}
SERVED, ENDED, TICK = 'the stop is served', 'a goal ends', 'a tick begins'
_CONFIG: list[Config] = []


def configuration() -> Config:
    """The shipped one, read once."""
    if not _CONFIG:
        _CONFIG.append(load_config())
    return _CONFIG[0]


class Modes:
    """The observation, reduced by what comes."""

    def __init__(self) -> None:
        self.seen = Observation(BrainState())
        self.charged = True  # by what was read last below the lower or above the upper bound
        self.paused = False  # the operator's command, as the operator knows it

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        full = len(self.seen.state.tasks.queue) >= MOST_GOALS
        given = [name for name in INPUTS if not (full and 'want' in name and 'goal' in name)]
        given = [name for name in given if not (full and ' says ' in name)]
        return (*given, SERVED, ENDED, TICK)

    def do(self, move: str) -> str:
        """See `Machine`."""
        before = self.seen.state
        if move == TICK:
            self.seen = self.seen._replace(alarmed=False)
        elif move == SERVED:
            if before.hci.user_interrupt is UserInterruptType.STOP:
                tasks = replace(before.tasks, queue=())
                self.seen = self.seen.changed(hci=stop_served(before.hci), tasks=tasks)
        elif move == ENDED:
            tasks = replace(before.tasks, queue=before.tasks.queue[1:])
            self.seen = self.seen.changed(tasks=tasks)
        else:
            given = INPUTS[move]
            if isinstance(given, SafetyEvent):
                self.seen = self.seen._replace(alarmed=True)
            self.seen = reduce(self.seen, given, NOW, configuration()).observation
        self._remember(move)
        return self._fault(move, before)

    def _remember(self, move: str) -> None:
        self.charged = {'the battery is low': False, 'the battery is charged': True}.get(
            move, self.charged
        )
        self.paused = {'the operator pauses': True, 'the operator resumes': False}.get(
            move, self.paused
        )

    def _fault(self, move: str, before: BrainState) -> str:
        state = self.seen.state
        mode = arbitrate(state).mode
        latched, was_latched = bool(state.world.safety_reason), bool(before.world.safety_reason)
        if latched is not (mode is Mode.SAFE):
            return 'SAFE is latched if and only if the mode is SAFE'
        if was_latched and not latched and move != 'the operator resets':
            return "only the operator's reset ends SAFE"
        if mode is Mode.EXEC and not self.charged:
            return 'no goal is pursued on a low battery'
        if mode is Mode.EXEC and self.paused:
            return "no goal is pursued while the operator's pause holds"
        request = state.hci.user_interrupt
        if mode is Mode.EXEC and request is UserInterruptType.STOP:
            return 'a stop is served before anything is pursued'
        if mode is Mode.EXEC and not state.tasks.queue:
            return 'nothing is pursued without a goal'
        return ''

    def key(self) -> Hashable:
        """See `Machine`."""
        state = self.seen.state
        hci = state.hci
        return (
            bool(state.world.safety_reason),
            state.robot.battery_state,
            hci.user_interrupt,
            hci.interrupt_payload.get('source'),
            hci.interrupt_payload.get('paused'),
            len(state.tasks.queue),
            self.seen.alarmed,
            self.charged,
            self.paused,
        )
