"""Every property test fails when its property is broken on purpose.

Each row breaks one thing in the executive, loads the named test file afresh, so that it works with
the broken code, and runs its tests: one of them must fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
import importlib.util
import inspect
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
import pytest

from bt_executive.approval.approval_registry import ApprovalOutcome, ApprovalRegistry
from bt_executive.core import round_decision
from bt_executive.core.modes import Arbitration, arbitrate
from bt_executive.core.state import BrainState, HCIState, Mode, UserInterruptType, state_from_json
from bt_executive.core.stop_and_question_phrases import Utterance

pytestmark = pytest.mark.long

Break = Mapping[str, Any]  # dotted name → what stands there instead


def forgetful(text: str) -> BrainState:
    return replace(state_from_json(text), hci=HCIState())


def tolerant(text: str) -> BrainState:
    try:
        return state_from_json(text)
    except ValueError:
        return BrainState()


def charge_first(state: BrainState) -> Arbitration:
    if state.robot.battery_state == 'LOW':
        return Arbitration(Mode.CHARGE, 'battery low')
    return arbitrate(state)


def no_pause(state: BrainState) -> Arbitration:
    if state.hci.user_interrupt is UserInterruptType.PAUSE:
        state = replace(state, hci=HCIState())
    return arbitrate(state)


def eager(text: str) -> Utterance:
    return Utterance('stop' if 'stop' in text else 'normal', text.strip())


def deaf(text: str) -> Utterance:
    return Utterance('normal', text.strip())


def without(*rows: Any) -> tuple[Any, ...]:
    return tuple(row for row in round_decision._TABLE if row not in rows)


def never(*_arguments: Any) -> None:
    return None


def approve_all(
    self: ApprovalRegistry, request_id: str, answer: Any, *rest: Any
) -> ApprovalOutcome:
    return RESOLVE(self, request_id, replace(answer, action='approve', arguments=None), *rest)


RESOLVE = ApprovalRegistry.resolve


def unread(status: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    return {name: status.get(name) for name in types}


ROWS: list[tuple[str, str, Break]] = [
    (
        '01',
        'raw words of the adapter',
        {'bt_executive.core.reduce_robot_inputs.read_parts': unread},
    ),
    ('01', 'a lost part', {'bt_executive.core.state.state_to_json': lambda _state: '{"hci": {}}'}),
    ('01', 'any text is a state', {'bt_executive.core.state.state_from_json': tolerant}),
    ('02', 'a part not read', {'bt_executive.core.state.state_from_json': forgetful}),
    ('03', 'stop in a sentence', {'bt_executive.core.stop_and_question_phrases.recognise': eager}),
    ('03', 'no command', {'bt_executive.core.stop_and_question_phrases.recognise': deaf}),
    ('04', 'battery first', {'bt_executive.core.modes.arbitrate': charge_first}),
    ('04', 'no pause', {'bt_executive.core.modes.arbitrate': no_pause}),
    ('05', 'no SAFE branch', {'bt_executive.tree.branch_conditions.why_unsafe': never}),
    ('05', 'no CHARGE branch', {'bt_executive.tree.branch_conditions.why_charging': never}),
    ('05', 'no stop', {'bt_executive.tree.branch_conditions.stop_source': never}),
    ('06', 'no conflicts', {'bt_executive.core.call_table.Leases.conflicts': lambda *_: {}}),
    (
        '07',
        'no last row',
        {'bt_executive.core.round_decision._TABLE': without(round_decision._go_on)},
    ),
    (
        '07',
        'success is not asked',
        {'bt_executive.core.round_decision._TABLE': (round_decision._retry,)},
    ),
    (
        '08',
        'a no is a yes',
        {'bt_executive.approval.approval_registry.ApprovalRegistry.resolve': approve_all},
    ),
    ('08', 'nobody asks', {'bt_executive.tree.branch_conditions.needs_human': lambda *_: False}),
    (
        '09',
        'no finish',
        {'bt_executive.core.round_decision._TABLE': without(round_decision._planner_ended)},
    ),
    (
        '09',
        'no budget',
        {'bt_executive.core.round_decision._TABLE': without(round_decision._budget)},
    ),
    (
        '09',
        'no end',
        {'bt_executive.core.round_decision._TABLE': without(round_decision._no_progress)},
    ),
    (
        '10',
        'nothing told',
        {'bt_executive.skills.tool_registry.Registry.definitions': lambda _: {}},
    ),
]
QUICK = settings(
    max_examples=20,
    derandomize=True,  # what is noticed once is noticed each time
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    """Without shrinking and without a memory of the failures that are wanted here."""
    before = settings.get_current_profile_name()
    settings.register_profile('teeth', QUICK)
    settings.load_profile('teeth')
    yield
    settings.load_profile(before)


@pytest.mark.filterwarnings('ignore:Pydantic serializer warnings')
@pytest.mark.parametrize(
    ('number', 'change'),
    [pytest.param(number, change, id=f'{number}-{name}') for number, name, change in ROWS],
)
def test_a_broken_property_is_noticed(
    number: str, change: Break, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for name, broken in change.items():
        monkeypatch.setattr(name, broken)
    assert any(fails(run) for run in checks_of(number, request)), (
        f'no test of property {number} fails'
    )


def checks_of(number: str, request: pytest.FixtureRequest) -> Iterator[Callable[[], None]]:
    """The tests of a property's file, loaded anew, with their fixtures."""
    (path,) = Path(__file__).parent.glob(f'test_property_{number}_*.py')
    spec = importlib.util.spec_from_file_location(f'teeth_{number}', path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, test in vars(module).items():
        if name.startswith('test_'):
            wanted = inspect.signature(test).parameters
            fixtures = {each: request.getfixturevalue(each) for each in wanted}
            yield partial(test, **fixtures)


def fails(run: Callable[[], None]) -> bool:
    try:
        run()
    except (Exception, pytest.fail.Exception):  # whatever a test raises, it has noticed
        return True
    return False
