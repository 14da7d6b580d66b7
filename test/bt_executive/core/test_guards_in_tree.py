"""Each guard through the shipped tree: before a tool starts, and while it runs.

Each case is checked twice: with the guard, when the check passes, and without it, when the very
same check must fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tree_bench import TreeBench

from bt_executive.core.executive_ports import Answer, PlannerOutput, Proposal
from bt_executive.core.goal_outcome import RAN_S
from bt_executive.core.guards import ALWAYS_ASKED, STANDING_STILL, standing_still
from bt_executive.core.inputs import BatteryReceived, PoseReceived, ZonesReceived
from bt_executive.core.modes import Arbitration
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import Mode
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.planning.ask_planner_and_check_proposal import CheckProposal
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard
from bt_executive.tree.making_guard_views import GuardViews
from rover_common.adapter_status import MOVE_IN_PROGRESS
from rover_common.config.settings import KeepOutZone

DONE = {'success': True, 'message': '', 'ok': True}
CLOSED = {'mast_is_open': False, 'mast': 'closed', 'moving': False}
OPEN = {'mast_is_open': True, 'mast': 'open', 'moving': False}
PIT = 'keep_out=[{name: pit, polygon: [[4, -3], [9, -3], [9, 3], [4, 3]]}]'
NAMELESS = PIT.replace('name: pit', "name: ''")
THERE = {'x': 6.0, 'y': 4.0}  # 1 m from the pit
STOPS = ('/adapter/move_stop', '/move_stop')
KEEP_OUT, NUDGE, NAVIGATE = 'outside_keep_out', 'move_nudge', 'navigate_to'


class GuardBench(TreeBench):
    """A bench on which parts of the executive can be replaced."""

    def __init__(
        self,
        outputs: Iterable[PlannerOutput | None],
        overrides: Iterable[str],
        patch: pytest.MonkeyPatch,
    ) -> None:
        super().__init__(outputs, overrides)
        self.patch = patch


Change = Callable[[GuardBench], object]


@dataclass(frozen=True)
class Case:
    """`change` makes the guard refuse: before the goal is taken up, or while the tool runs."""

    guard: str
    tool: str
    change: Change
    reason: str
    arguments: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=lambda: CLOSED)
    keys: tuple[str, ...] = ()  # of the configuration
    name: str = ''

    @property
    def proposal(self) -> Proposal:
        return Proposal('1', self.tool, self.arguments)


Make = Callable[['Case', bool], GuardBench]


def facts(**known: Any) -> Change:
    return lambda it: it.status(**known)


def pose(x: float) -> Change:
    return lambda it: it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0))


def lose_charge(it: GuardBench) -> None:
    for percent in (90.0, 85.0):
        it.inbox.put(BatteryReceived(it.now, percent))
        it.tick()


def drive_on(it: GuardBench) -> None:
    for x in (0.0, 0.4, 0.8):
        pose(x)(it)
        it.tick()


def let_time_pass(it: GuardBench) -> None:
    x = 0.0
    for _ in range(40):
        x += 0.04 * bool(it.context.permits.current.number)
        it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, stamp=it.now))
        it.tick(after=0.1)
        it.status()


def use_up_calls(it: GuardBench) -> None:
    it.context.progress.steps = 100


def lend_the_base(it: GuardBench) -> None:
    it.context.calls.leases.acquire('another call', ['base'])
    it.context.calls.open('another call', 'a server', it.moment, timeout_s=1000.0)


def lose_the_pose(it: GuardBench) -> None:
    for _ in range(25):
        it.tick(after=0.1)
        it.status()


def tell_of_the_pit(it: GuardBench) -> None:
    corners = ((4.0, -3.0), (9.0, -3.0), (9.0, 3.0), (4.0, 3.0))
    it.inbox.put(ZonesReceived((KeepOutZone(name='pit', polygon=corners),)))


def nothing(_it: GuardBench) -> None:
    """The guard refuses from the start."""


def other_mode(it: GuardBench) -> None:
    """Charging by decree: the mode alone changes, the tree's branches see no reason to."""
    it.patch.setattr(
        'bt_executive.tree.behaviours.sense.arbitrate', lambda _state: Arbitration(Mode.CHARGE)
    )


BUDGETS = [
    ('tool calls', use_up_calls, 'agent.max_iterations=100'),
    ('distance', drive_on, 'goal.max_distance_m=0.5'),
    ('energy', lose_charge, 'goal.max_energy_pct=3.0'),
    ('time', let_time_pass, 'goal.max_wall_s=3.0'),
]
TOLD = Case(KEEP_OUT, NAVIGATE, tell_of_the_pit, 'The destination is too near', THERE, name='told')
BEFORE = [
    Case('catalogue', 'fly', nothing, "No tool 'fly'"),
    Case('arguments', 'move_forward', nothing, "Argument 'duration_s'", {'duration_s': 1e9}),
    Case('resources', NUDGE, lend_the_base, 'In use: base'),
    Case('mode_allows', NUDGE, other_mode, 'No tool runs in mode CHARGE'),
    Case(
        'data_fresh', NUDGE, nothing, 'No data yet: battery', keys=('safety.required=[battery]',)
    ),
    Case('adapter_alive', 'mast_close', nothing, 'No status from the adapter yet', facts={}),
    Case('standing_still', 'mast_close', facts(moving=True), 'Move in progress'),
    Case('standing_still', NUDGE, facts(moving=None), 'Move in progress', name='unknown'),
    Case('mast_closed', NUDGE, facts(**OPEN), 'Need to close mast'),
    Case(
        'mast_closed',
        'turn_left',
        facts(mast_is_open=None, mast='unknown'),
        'State of the mast is not known',
        name='unknown',
    ),
    Case('mast_open', 'capture_and_score', nothing, 'Mast is closed'),
    Case(KEEP_OUT, NUDGE, pose(1.0), 'Path comes too near', keys=(PIT,)),
    Case(KEEP_OUT, NUDGE, nothing, 'Position is not known', keys=(PIT,), name='unknown'),
    Case(
        KEEP_OUT,
        NAVIGATE,
        nothing,
        'The destination is too near',
        THERE,
        keys=(PIT,),
        name='destination',
    ),
    Case(
        KEEP_OUT,
        NUDGE,
        pose(1.0),
        "Path comes too near to keep-out zone ''",
        keys=(NAMELESS,),
        name='nameless',
    ),
    Case(
        KEEP_OUT,
        NAVIGATE,
        nothing,
        "The destination is too near to keep-out zone ''",
        THERE,
        keys=(NAMELESS,),
        name='nameless destination',
    ),
    Case(
        'known_place',
        NAVIGATE,
        nothing,
        'Nobody named the place',
        THERE,
        CLOSED,
        ('guards.places=always',),
    ),
    TOLD,
    *(
        Case('within_budget', NUDGE, change, f'Budget of {name}', {}, CLOSED, (limit,), name)
        for name, change, limit in BUDGETS
    ),
]
WHILE = [
    Case('mode_allows', NUDGE, other_mode, 'No tool runs in mode CHARGE'),
    Case('standing_still', 'mast_close', facts(moving=True), 'Move in progress'),
    Case('mast_closed', NUDGE, facts(**OPEN), 'Need to close mast'),
    Case('mast_open', 'capture_and_score', facts(**CLOSED), 'Mast is closed', facts=OPEN),
    Case(KEEP_OUT, NUDGE, pose(2.4), 'Path comes too near', keys=(PIT,)),
    Case(KEEP_OUT, NUDGE, lose_the_pose, 'Position is not known', keys=(PIT,), name='unknown'),
    Case('mast_closed', NAVIGATE, facts(**OPEN), 'Need to close mast', THERE, name='nav'),
    TOLD,
    *(
        Case(
            'within_budget',
            tool,
            change,
            f'Budget of {name}',
            to,
            CLOSED,
            (limit,),
            f'{tool} {name}',
        )
        for tool, to in ((NUDGE, {}), (NAVIGATE, THERE))
        for name, change, limit in BUDGETS[1:]
    ),
]


def named(cases: list[Case]) -> list[Any]:
    return [pytest.param(each, id=' '.join((each.guard, each.name)).strip()) for each in cases]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Make:
    """A bench on which the case's tool will be proposed: at once, or when it is said."""

    def make(case: Case, at_once: bool) -> GuardBench:
        outputs = (case.proposal if at_once else None, Answer('so be it'))
        it = GuardBench(outputs, case.keys, monkeypatch)
        if case.facts:
            it.status(**case.facts)
        return it

    return make


def check_before(it: GuardBench, case: Case) -> None:
    """The tool is refused by the guard, with its reason, before anything is sent."""
    it.robot.replies = {'/adapter/move_forward': DONE, '/adapter/move_stop': DONE}
    it.goal()
    it.tick()
    case.change(it)
    it.planner.say(case.proposal)
    for _ in range(400):
        if it.planner.results or it.reporter.endings:
            break
        it.tick(after=0.1)
        if case.facts:
            it.status()
    assert_refused(it, case)
    assert not any(RAN_S in result.data for result in it.planner.results)
    assert it.robot.sent == []


def check_while(it: GuardBench, case: Case) -> None:
    """The tool starts, and is stopped by the guard in the tick in which its reason is seen."""
    it.robot.replies = {'/adapter/move_forward': DONE}
    pose(0.0)(it)
    it.inbox.put(BatteryReceived(it.now, 95.0))
    it.goal()
    it.tick(4, after=0.01)
    (started,) = it.robot.names
    assert started not in STOPS
    case.change(it)
    it.tick()
    moves = it.context.registry[case.tool].drives
    assert it.robot.names[1:] == (['/adapter/move_stop'] if moves else [])
    for _ in range(40):
        if it.planner.results or it.reporter.endings:
            break
        it.tick(after=0.1)
        it.status()
    assert_refused(it, case)
    assert all({RAN_S, 'driven_m'} <= {*result.data} for result in it.planner.results)


def assert_refused(it: GuardBench, case: Case) -> None:
    first = next(event for event in it.events if event.error_reason)
    assert str(first.error_reason).startswith(case.reason)
    for result in it.planner.results:  # a goal whose budget is used up ends without one
        assert result.error_reason == first.error_reason
        assert result.data['refused_by'] == case.guard
    assert not it.context.state.world.safety_reason


def remove(patch: pytest.MonkeyPatch, guard: str, *, only_while_running: bool) -> None:
    """Takes a guard out of the tree, and out of what is asked before a tool and its request."""
    readings, update, hindrance = CheckProposal._readings, Guard.update, GuardViews.hindrance

    def fewer(self: CheckProposal, proposal: Proposal) -> Any:
        return (each for each in readings(self, proposal) if each.guard != guard)

    def asks_nothing(self: Guard) -> Any:
        return self.success('removed') if self._precondition.name == guard else update(self)

    def without(self: GuardViews, tool: Tool, arguments: Any) -> Any:
        others = tuple(each for each in tool.preconditions if each.name != guard)
        return hindrance(self, replace(tool, preconditions=others), arguments)

    patch.setattr(GuardViews, 'hindrance', without)
    patch.setattr(Guard, 'update', asks_nothing)
    if not only_while_running:
        patch.setattr(CheckProposal, '_readings', fewer)


@pytest.mark.parametrize('case', named(BEFORE))
def test_a_guard_refuses_before_the_tool_starts(make: Make, case: Case) -> None:
    check_before(make(case, False), case)


@pytest.mark.parametrize('case', named(WHILE))
def test_a_guard_holds_while_the_tool_runs(make: Make, case: Case) -> None:
    check_while(make(case, True), case)


@pytest.mark.parametrize('case', named(BEFORE))
@pytest.mark.slow
def test_without_the_guard_the_check_before_fails(
    make: Make, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    remove(monkeypatch, case.guard, only_while_running=False)
    with pytest.raises((AssertionError, StopIteration)):
        check_before(make(case, False), case)


@pytest.mark.parametrize('case', named(WHILE))
def test_without_the_guard_the_check_while_it_runs_fails(
    make: Make, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    remove(monkeypatch, case.guard, only_while_running=True)
    with pytest.raises((AssertionError, StopIteration)):
        check_while(make(case, True), case)


def test_every_guard_of_the_registry_stands_in_the_table(make: Make) -> None:
    it = make(BEFORE[0], True)
    tools = it.context.registry.values()
    used = {each.name for tool in tools for each in (*tool.preconditions, *ALWAYS_ASKED)}
    assert used | {'catalogue', 'arguments', 'resources'} == {case.guard for case in BEFORE}


UNSEEN = 'Nothing shows whether it stands'


@pytest.mark.parametrize(
    ('stopping', 'at_rest', 'why', 'reason'),
    [
        (False, True, '', None),
        (True, True, '', MOVE_IN_PROGRESS),  # the stop is not confirmed yet
        (False, False, '', MOVE_IN_PROGRESS),
        (False, None, UNSEEN, UNSEEN),
        (True, None, UNSEEN, UNSEEN),  # and that is why it is not
    ],
)
def test_it_is_said_why_the_robot_does_not_count_as_standing(
    stopping: bool, at_rest: bool | None, why: str, reason: str | None
) -> None:
    robot = RobotState(
        moving=False, at_rest=at_rest, standing_unknown=why, stopping=stopping, status_at=0.0
    )
    view: Any = SimpleNamespace(
        state=SimpleNamespace(robot=robot),
        holders={},
        call_id='',
        gate='',
        moved_gates=frozenset(),
        settled=True,
        running=False,
    )
    reading = standing_still(view)
    assert (reading.guard, reading.reason or None) == (STANDING_STILL, reason)
