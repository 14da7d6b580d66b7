"""A rehearsal: the whole shipped tree against robot, planner and operator that do what they like.

After every tick it checks what must hold in every tick, from its own record of what went out to
the robot, not from what the executive believes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from py_trees.behaviour import Behaviour
from py_trees.common import Status
import pytest

from bt_executive.brain import Brain
from bt_executive.inbox import (
    BatterySeen,
    Event,
    GoalReceived,
    PoseSeen,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    SessionAnswer,
    StopRequested,
)
from bt_executive.kernel.decisions import RoundFacts
from bt_executive.kernel.session_book import Session, SessionBook
from bt_executive.kernel.sessions import SessionInput
from bt_executive.ports import (
    ModelUse,
    PlannerContext,
    PlannerFailure,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.settings import Endpoint, KeepOutZone
from bt_executive.state import (
    BrainState,
    Mode,
    Task,
    UserInterruptType,
    state_from_json,
    state_to_json,
)

BREAKAGE = 'broken on purpose'
STOPS = ('/adapter/move_stop', '/move_stop')


class TalkingPlanner:
    """Says what it is told to say, and notes when it is used against its protocol."""

    def __init__(self) -> None:
        self.active = False
        self.awaits_result = False
        self.output: PlannerOutput | None = None
        self.faults: list[str] = []

    def start(self, _goal: str, _context: PlannerContext) -> None:
        self.cancel()
        self.active = True

    def say(self, output: PlannerOutput) -> None:
        self.output = output

    def poll(self) -> PlannerOutput | None:
        output, self.output = self.output, None
        if output is not None:
            self.awaits_result = self.active = isinstance(output, Proposal)
        return output

    def give(self, result: ToolResult) -> None:
        if not self.awaits_result:
            self.faults.append(f'a result that nothing waits for: {result}')
        self.awaits_result = False

    def cancel(self) -> None:
        self.active = self.awaits_result = False
        self.output = None

    def news(self) -> tuple[()]:
        return ()

    def use(self) -> ModelUse:
        return ModelUse()

    def close(self) -> None:
        self.cancel()

    @property
    def thinks(self) -> bool:
        """Whether an output is waited for."""
        return self.active and not self.awaits_result and self.output is None


class RecordingBook(SessionBook):
    """The book of sessions, with a second record of openings and terminal entries."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.terminal: list[str] = []
        self.finished: set[str] = set()

    def open(self, *args: Any, **fields: Any) -> Session:
        session = super().open(*args, **fields)
        self.opened.append(session.session_id)
        return session

    def apply(self, session_id: str, happened: SessionInput, *args: Any, **fields: Any) -> bool:
        before = self.get(session_id)
        changed = super().apply(session_id, happened, *args, **fields)
        after = self.get(session_id)
        if changed and before and after and after.ended:
            self.terminal.append(session_id)
        return changed

    def finish_call(self, call_id: str) -> None:
        super().finish_call(call_id)
        self.finished.add(call_id)


@dataclass
class WatchedRobot:
    """Takes every request, and notes what should never have been sent."""

    brain: Brain
    book: RecordingBook
    sent: list[tuple[str, str]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    reply: Mapping[str, Any] | None = None  # the answer that every request gets at once
    driving: str = ''  # the call whose motion was requested and not stopped since

    def __post_init__(self) -> None:
        tools = self.brain.registry.values()
        self.needs: dict[str, set[str]] = {}
        for tool in tools:
            if tool.endpoint is not None:
                needs = self.needs.setdefault(tool.endpoint.name, set())
                needs |= set(tool.skill.resources_required)
        self.motions = {
            tool.endpoint.name for tool in tools if tool.endpoint and tool.skill.motion
        }
        self.holding: dict[str, set[str]] = {}

    def ready(self, endpoint: Endpoint) -> bool:
        return endpoint.name not in self.absent

    def send(self, session_id: str, endpoint: Endpoint, _arguments: Mapping[str, Any]) -> None:
        call_id = session_id.rpartition('.')[0]
        self._check_mode(endpoint.name)
        self._check_holders(call_id, endpoint.name)
        if endpoint.name in self.motions:
            if self.driving:
                self.faults.append(f'{endpoint.name} sent while {self.driving} was not stopped')
            self.driving = call_id
        self._note(session_id, endpoint.name)

    def cancel(self, session_id: str) -> None:
        self.cancelled.append(session_id)

    def stop(self, session_id: str, past_the_adapter: bool) -> None:
        self._note(session_id, STOPS[past_the_adapter])

    def why_no_motion(self) -> str:
        """What, in the state of this tick, forbids that a motion is under way."""
        state = self.brain.state
        if state.tasks.mode is not Mode.EXEC:
            return f'mode {state.tasks.mode.value}'
        if state.hci.user_interrupt in (UserInterruptType.STOP, UserInterruptType.PAUSE):
            return state.hci.user_interrupt.value
        guarded = self.brain.config.executive.variant == 'B'
        return (
            'the mast is not closed' if guarded and state.robot.mast_is_open is not False else ''
        )

    def _check_mode(self, name: str) -> None:
        state = self.brain.state
        if name in self.motions and self.why_no_motion():
            self.faults.append(f'{name} sent although: {self.why_no_motion()}')
        allowed = {Mode.EXEC: True, Mode.CHARGE: name == '/adapter/mast_close'}
        if name not in STOPS and not allowed.get(state.tasks.mode, False):
            self.faults.append(f'{name} sent in {state.tasks.mode.value}')

    def _check_holders(self, call_id: str, name: str) -> None:
        busy = {session.call_id for session in self.book.running()}
        self.holding = {
            call: needs
            for call, needs in self.holding.items()
            if call in busy or call not in self.book.finished
        }
        for call, needs in self.holding.items():
            if call != call_id and needs & self.needs[name]:
                both = ', '.join(needs & self.needs[name])
                self.faults.append(f'{both} used by {call} and by {call_id} ({name})')
        self.holding.setdefault(call_id, set()).update(self.needs[name])

    def _note(self, session_id: str, name: str) -> None:
        self.sent.append((session_id, name))
        if name in STOPS:
            self.driving = ''
        if self.reply is not None:
            answer = SessionAnswer(session_id, SessionInput.SUCCEED, self.reply)
            self.brain.inbox.put(answer)


class Goals:
    """Who asked for what, and how often it was told that it has ended."""

    def __init__(self) -> None:
        self.ended_times: dict[str, int] = {}

    def feedback(self, *_ignored: Any) -> None:
        """Steps are not looked at."""

    def ended(self, task: Task, _summary: dict[str, Any]) -> None:
        self.ended_times[task.task_id] = self.ended_times.get(task.task_id, 0) + 1


class Rehearsal:
    """A bench whose parts watch, and a `step` that checks every tick."""

    def __init__(self, bench: Any) -> None:
        self.bench = bench
        self.brain: Brain = bench.brain
        self.book = self.brain.book = RecordingBook()
        self.robot = self.brain.robot = WatchedRobot(self.brain, self.book)
        self.planner = self.brain.planner = TalkingPlanner()
        self.goals = self.brain.reporter = Goals()
        self.asked: list[str] = []  # task ids
        self._waiting: list[Event] = []
        self._stops_said = 0
        self._broken: Behaviour | None = None

    def put(self, event: Event) -> None:
        """Something happens before the next tick."""
        self._waiting.append(event)
        self.brain.inbox.put(event)

    def ask(self, words: str, kind: str = 'normal', **fields: Any) -> None:
        """Somebody asks for a goal, or says something."""
        task_id = f'goal-{len(self.asked) + 1}'
        self.asked.append(task_id)
        self._stops_said += kind == 'stop'
        self.put(GoalReceived(Task(task_id=task_id, goal=words, **fields)))

    def break_leaf(self, number: int) -> None:
        """A leaf below the branches raises, once, when it is ticked next."""
        branches = self.bench.executive.root.children[-1]
        leaves = [node for node in branches.iterate() if not node.children]
        leaf = leaves[number % len(leaves)]

        def update() -> Status:
            del leaf.update
            self._broken = None
            raise RuntimeError(BREAKAGE)

        self.mend_leaf()
        leaf.update = update
        self._broken = leaf

    def mend_leaf(self) -> None:
        """Takes back what `break_leaf` did, if it has not happened yet."""
        if self._broken is not None:
            del self._broken.update
            self._broken = None

    def pass_time(self, after: float, heard: bool = True) -> None:
        """A tick, before which the adapter repeats its last word, if it is heard."""
        self.bench.now += after
        if heard:
            self.bench.status()
        self.step(0.0)

    def step(self, after: float) -> None:
        """A tick `after` s later, with every check."""
        events, self._waiting = self._waiting, []
        stop_wanted = self._stops_said or any(isinstance(each, StopRequested) for each in events)
        self._stops_said = 0
        was_safe = self.brain.state.tasks.mode is Mode.SAFE
        was_idle = self._nothing_runs()
        before = len(self.robot.sent)
        self.bench.now += after
        report = self.bench.executive.step(self.bench.moment)
        stopped = any(name in STOPS for _, name in self.robot.sent[before:])
        safe = self.brain.state.tasks.mode is Mode.SAFE
        assert report.mode == self.brain.state.tasks.mode.value
        if any(isinstance(each, SafetyEvent) for each in events) or self._stands_unsafe():
            assert safe, f'not SAFE in the tick of {events}'
        if safe and not was_safe:
            assert stopped, 'SAFE without a stop'
        if stop_wanted:
            assert stopped, "an operator's stop without a stop"
        if was_idle and self._nothing_runs():
            assert not self.book.leases.holders, 'a lease that nobody uses'
        self.check()

    def check(self) -> None:
        """What holds after every tick."""
        assert not self.robot.faults, self.robot.faults
        assert not self.planner.faults, self.planner.faults
        self._no_contained_exception()
        self._no_motion_alone()
        self._sessions_are_owned()
        self._one_active_branch()
        assert len(self.book.terminal) == len(set(self.book.terminal)), 'two terminal entries'
        told = self.goals.ended_times
        assert all(times == 1 for times in told.values()), f'told twice: {told}'
        state = self.brain.state
        assert state_from_json(state_to_json(state)) == state

    def is_running(self, name: str) -> bool:
        """Whether the node of that name is under way."""
        return any(node.name == name for node in self._running())

    def drain(self) -> None:
        """Time passes until nothing is left of what was begun."""
        self.robot.absent = set()
        self.mend_leaf()
        for _ in range(100 + 40 * len(self.asked)):
            self.bench.now += 5.0
            self.put(BatterySeen(self.bench.now, 100.0))
            self.put(PoseSeen(self.bench.now, 0.0, 0.0, 0.0))
            self.put(ResumeRequested('the end'))
            self.put(ResetRequested('the end'))
            self.bench.status(mast_is_open=False, mast='closed', moving=False)
            if self.planner.thinks:
                self.planner.say(PlannerFailure('the end'))
            self.step(0.0)
            if self.brain.state.tasks.mode is Mode.IDLE and not self.book.running():
                break
        self.bench.status()
        self.step(0.1)
        assert sorted(self.goals.ended_times) == sorted(self.asked)
        assert sorted(self.book.terminal) == sorted(self.book.opened)
        assert not self.book.leases.holders
        assert self.brain.state.tasks.mode is Mode.IDLE

    def _stands_unsafe(self) -> bool:
        robot, executive = self.brain.state.robot, self.brain.config.executive
        silent = robot.status_at is not None and (
            self.bench.now - robot.status_at > executive.guards.adapter_status_max_age_s
        )
        return silent or robot.pose.tilt > executive.safety.max_tilt_rad

    def _nothing_runs(self) -> bool:
        return not self.brain.state.tasks.queue and not self.book.running()

    def _no_contained_exception(self) -> None:
        reason = self.brain.state.world.safety_reason
        if 'in Executive' in reason:
            assert BREAKAGE in reason, reason

    def _no_motion_alone(self) -> None:
        call = self.robot.driving
        if call:
            why = self.robot.why_no_motion()
            assert not why, f'{call} still drives although: {why}'
            assert call in self._running_calls(), f'{call} drives and nobody watches it'

    def _sessions_are_owned(self) -> None:
        for session in self.book.running():
            owned = session.call_id in self.book.finished | self._running_calls()
            assert owned, f'{session} has no owner'
            assert not session.overdue(self.bench.moment), f'{session} is overdue'

    def _one_active_branch(self) -> None:
        root = self.bench.executive.root
        assert root.status is not Status.INVALID
        for node in self._running():
            assert node.parent is None or node.parent.status is Status.RUNNING, node.name
            siblings = [each for each in node.children if each.status is Status.RUNNING]
            assert len(siblings) <= 1, [each.name for each in siblings]

    def _running(self) -> Iterator[Behaviour]:
        root = self.bench.executive.root
        return (node for node in root.iterate() if node.status is Status.RUNNING)

    def _running_calls(self) -> set[str]:
        return {getattr(node, '_call_id', '') for node in self._running()} - {''}


@pytest.fixture(scope='session')
def rehearsal(bench: Callable[..., Any]) -> Callable[..., Rehearsal]:
    """Makes a rehearsal: `rehearsal(overrides=['variant=A'])`."""
    return lambda overrides=(): Rehearsal(bench(overrides=overrides))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=2,
)
NAMED: dict[str, st.SearchStrategy[Any]] = {
    'battery_state': st.sampled_from(['UNKNOWN', 'OK', 'LOW']),
    'safety_reason': st.just('') | st.text(max_size=8),
    'mapped': st.sampled_from(['', 'RETRY', 'REPLAN', 'ASK_HUMAN', 'ABORT']),
    'attempt': st.integers(1, 3),
    'planner_failed': st.just('') | st.text(max_size=8),
    'aborted': st.just('') | st.text(max_size=8),
    'finished': st.just('') | st.text(max_size=8),
}


FINITE = st.floats(allow_nan=False, allow_infinity=False)
ZONES = st.builds(
    KeepOutZone,
    name=st.text(max_size=8),
    polygon=st.lists(st.tuples(FINITE, FINITE), min_size=3, max_size=4).map(tuple),
)


def every_field(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Dataclasses of a kind with every field set, from the types of its fields."""
    hints = get_type_hints(kind)
    given = {each.name: _values(each.name, hints[each.name]) for each in fields(kind)}
    return st.builds(kind, **given)


def _values(name: str, hint: Any) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if name in NAMED:
        return NAMED[name]
    if origin in (Union, UnionType):
        return st.one_of(*(_values('', each) for each in arguments))
    if origin is tuple:
        return st.lists(_values('', arguments[0]), max_size=1).map(tuple)
    if origin is dict:
        return st.dictionaries(st.text(max_size=8), _values('', arguments[1]), max_size=1)
    if hint is Any:
        return JSON
    if hint is float:
        return FINITE
    if is_dataclass(hint) and isinstance(hint, type):
        return every_field(hint)
    return st.from_type(hint)


st.register_type_strategy(KeepOutZone, ZONES)
st.register_type_strategy(BrainState, every_field(BrainState))
st.register_type_strategy(RoundFacts, every_field(RoundFacts))
