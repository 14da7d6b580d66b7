"""The table of modes, highest priority first. Pure.

The first row that applies to the state gives the mode of a tick. The branches of the tree are
built in the same order (tree/picture.py). docs/modes.md shows the table. A stop that comes in SAFE
or CHARGE ends the goals there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bt_executive.core.goal_queue import Task, order
from bt_executive.core.observation_and_effects import Emit, Observation, Reduced
from bt_executive.core.state import BrainState, Mode, UserInterruptType
from rover_common.clocks import Now
from rover_common.dataclass_replace import replace

# The columns of docs/modes.md: question → its answer in a state.
QUESTIONS: Mapping[str, Callable[[BrainState], str | UserInterruptType]] = {
    'SAFE latched': lambda state: 'yes' if state.world.safety_reason else 'no',
    'battery': lambda state: state.robot.battery_state,
    'interrupt': lambda state: state.hci.user_interrupt,
    'goals': lambda state: 'some' if state.tasks.queue else 'none',
}


def _nothing(_state: BrainState) -> str:
    return ''


@dataclass(frozen=True)
class ModeRow:
    """A row of the table.

    Attributes:
        preempt_reason: Why goals must not go on in this tick; empty: they may. See `holds_back`.
    """

    mode: Mode
    question: str = ''  # of `QUESTIONS`; empty: the row always applies
    answer: str | UserInterruptType = ''  # with which it applies
    preempt_reason: Callable[[BrainState], str] = _nothing
    until: str = ''  # what ends that; empty: this tick does

    @cached_property
    def ask(self) -> Callable[[BrainState], str | UserInterruptType]:
        """Return the function that answers the row's question."""
        return QUESTIONS.get(self.question, _nothing)

    def applies(self, state: BrainState) -> bool:
        """Return whether the row applies, regardless of the rows above it."""
        return self.ask(state) == self.answer


@dataclass(frozen=True)
class Arbitration:
    """The mode of a tick, with the row's reason and `until`; see `ModeRow`."""

    mode: Mode
    preempt_reason: str = ''
    until: str = ''


def arbitrate(state: BrainState) -> Arbitration:
    """Return the mode of this tick, by the first row that applies."""
    row = _row_of(state)
    return Arbitration(row.mode, row.preempt_reason(state), row.until)


def holds_back(state: BrainState, task: Task) -> bool:
    """Return whether a goal must not go on in this tick.

    In CHARGE the goal that drives to the charger may, unless a stop or a pause holds it back, too.
    """
    row = _row_of(state)
    if row.mode is Mode.CHARGE and task.charges:
        return STOP.applies(state) or PAUSE.applies(state)
    return bool(row.preempt_reason(state))


def _row_of(state: BrainState) -> ModeRow:
    """Return the first row that applies; the last one always does."""
    return next(row for row in MODES if row.applies(state))


def interrupted_by(state: BrainState) -> str:
    """Return the source of the present stop or pause."""
    return str(state.hci.interrupt_payload.get('source', 'the operator'))


def _safety_event(state: BrainState) -> str:
    return f'safety event: {state.world.safety_reason}'


def _battery_low(state: BrainState) -> str:
    robot = state.robot
    if robot.battery_pct is None:
        return 'battery low before the restart, and no reading yet'
    return f'battery low: {robot.charge}' + (', by a stale reading' if robot.battery_stale else '')


def _interrupt(state: BrainState) -> str:
    return f'{state.hci.user_interrupt.value.lower()} by {interrupted_by(state)}'


STAY_SAFE = ModeRow(Mode.SAFE, 'SAFE latched', 'yes', _safety_event, 'the operator must reset')
KEEP_CHARGED = ModeRow(
    Mode.CHARGE, 'battery', 'LOW', _battery_low, 'it goes on when the battery is charged'
)
STOP = ModeRow(Mode.IDLE, 'interrupt', UserInterruptType.STOP, _interrupt)
PAUSE = ModeRow(
    Mode.IDLE, 'interrupt', UserInterruptType.PAUSE, _interrupt, 'the operator must resume'
)
PURSUE_GOALS = ModeRow(Mode.EXEC, 'goals', 'some')
REST = ModeRow(Mode.IDLE)

MODES = (STAY_SAFE, KEEP_CHARGED, STOP, PAUSE, PURSUE_GOALS, REST)


def set_mode(before: Observation, arbitration: Arbitration, now: Now) -> Reduced:
    """Set the mode, and since when it holds goals back; report a change."""
    tasks = before.state.tasks
    previous, mode, reason = tasks.mode, arbitration.mode, arbitration.preempt_reason
    preempts = tasks.active is not None and holds_back(before.state, tasks.active)
    if (previous, tasks.preempt_reason, tasks.preempt_flag) == (mode, reason, preempts):
        return Reduced(before)
    continues = previous is mode and tasks.held_since
    since = (tasks.held_since if continues else now.ros) if reason else 0.0
    tasks = replace(
        tasks, mode=mode, preempt_flag=preempts, preempt_reason=reason, held_since=since
    )
    because = f' ({reason})' if reason else ''
    change = Emit(
        'OBSERVE', f'Mode {previous.value} → {mode.value}{because}', {'data': {'mode': mode.value}}
    )
    return Reduced(before.changed(tasks=tasks), () if previous is mode else (change,))


def next_task(state: BrainState) -> Task | None:
    """Return the task to pursue next if none is active; None: none may begin."""
    free = (task for task in state.tasks.queue if not holds_back(state, task))
    return min(free, key=order, default=None)


def task_to_charge(state: BrainState) -> Task | None:
    """Return the waiting task that drives to the charger while the active one is held back."""
    active = state.tasks.active
    if active is None or not holds_back(state, active):
        return None
    return next_task(state)
