"""Plug-ins: which are found, what they may answer, and that their faults stay in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
import sys
import threading
from types import ModuleType
from typing import Any, ClassVar

from plugin_packages import install_example, write_metadata
import pytest
from sensor_msgs.msg import JointState
from tree_bench import MakeBench, Propose
from waiting import wait_until

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    Proposal,
    ToolResult,
)
from bt_executive.core.inputs import SessionAnswer, StopRequested
from bt_executive.planner.factory import make_planner
from bt_executive.planner.plugged import plugged_planner
from bt_executive.plugins import contained
from bt_executive.plugins.contained import contained_reducer
from bt_executive.plugins.contract import GuardContract
from bt_executive.plugins.installed import load, names
from bt_executive.plugins.plugin_ports import GROUPS, GUARDS, REDUCERS, Done, Failed
from bt_executive.plugins.plugin_thread import PluginFault, PluginThread, thread_of
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.settings.state import TopicField
from rover_common.errors import ConfigError
from rover_common.topic_value import value_of

MODULE = 'plugins_of_a_test'
Plug = Callable[[str, Any], None]


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Installs an object as the plug-in `own` of a group."""

    def install(group: str, plugin: Any) -> None:
        module = ModuleType(MODULE)
        module.own = plugin  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, MODULE, module)
        folder = tmp_path / group
        write_metadata(folder, 'own_plugins', {group: {'own': f'{MODULE}:own'}})
        monkeypatch.syspath_prepend(str(folder))
        load.cache_clear()

    yield install
    load.cache_clear()


def raises(*_: Any) -> Any:
    raise RuntimeError('no \x1b[31mcamera')


def leaves(*_: Any) -> Any:
    sys.exit(3)


class NotWritten(Exception):  # noqa: N818 (an answer, too)
    """Neither as text nor otherwise."""

    def __str__(self) -> str:
        """Raises, as code of others may."""
        raise RuntimeError('not even this')

    __repr__ = __str__


def raises_unwritten(*_: Any) -> Any:
    raise NotWritten


def cancels(*_: Any) -> Any:
    raise asyncio.CancelledError


class Hanging:
    """Returns nothing until it is released, as a call to a camera that is gone.

    Attributes:
        ended: What was asked to end, in order.
    """

    def __init__(self) -> None:
        self._released = threading.Event()
        self.ended: list[str] = []

    def __call__(self, *_: Any, **__: Any) -> Any:
        self._released.wait()
        return True

    def release(self) -> None:
        """It returns, and so does everything after it."""
        self._released.set()


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine makes nothing late."""
    monkeypatch.setattr(contained, 'LIMIT_S', 120.0)
    thread_of.cache_clear()


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """One that is waited for shortly."""
    monkeypatch.setattr(contained, 'LIMIT_S', 0.05)
    it = Hanging()
    yield it
    it.release()


@pytest.mark.parametrize('name', ['os.system'])
@pytest.mark.parametrize(
    ('override', 'key'),
    [
        ('robot.guards.mine={{plugin: {0}, reason: No}}', 'guards.mine: plugin'),
        ('robot.tools.mine={{behaviour: {0}}}', 'tools.mine: behaviour'),
        ('robot.state.near={{topic: /a, field: b, reduce: {0}}}', 'state.near.reduce'),
        ('planner.plugin={0}', 'planner.plugin'),
    ],
)
def test_a_name_that_is_not_installed_is_refused_at_the_start(
    plug: Plug, override: str, key: str, name: str
) -> None:
    plug(GUARDS, raises)
    with pytest.raises(ConfigError) as error:
        Registry(load_config(None, [override.format(name)]))
    assert f'{key}: {name!r} is no installed plug-in of the group' in str(error.value)
    assert 'install the Python package that has it' in str(error.value)
    assert str(error.value).count('\n') == 0


def test_what_is_installed_is_listed(plug: Plug) -> None:
    plug(GUARDS, raises)
    assert 'own' in names(GUARDS)
    with pytest.raises(ConfigError, match=r'installed: .*own'):
        load(GUARDS, 'owm')


def test_two_packages_with_one_name_are_refused(plug: Plug, tmp_path: Path) -> None:
    plug(GUARDS, raises)
    write_metadata(tmp_path / GUARDS, 'other_plugins', {GUARDS: {'own': f'{MODULE}:other'}})
    with pytest.raises(ConfigError, match=r'is in (own|other)_plugins and'):
        load(GUARDS, 'own')


@pytest.mark.parametrize(
    ('plugin', 'words'), [(7, 'cannot be called'), (None, 'cannot be called')]
)
def test_what_cannot_be_called_is_no_plugin(plug: Plug, plugin: Any, words: str) -> None:
    plug(GUARDS, plugin)
    with pytest.raises(ConfigError, match=words):
        load(GUARDS, 'own')


def test_a_package_that_cannot_be_imported_is_named(tmp_path: Path, plug: Plug) -> None:
    plug(GUARDS, raises)
    write_metadata(tmp_path / GUARDS, 'broken_plugins', {GUARDS: {'broken': 'no_such_module:x'}})
    with pytest.raises(ConfigError, match="'broken' of broken_plugins cannot be loaded: Module"):
        load(GUARDS, 'broken')


GUARDED = (
    'robot.guards.mine={plugin: own, options: {most: 3}, reason: Too far}',
    'robot.tools.get_status.guards=[mine]',
)


@pytest.mark.parametrize(
    ('guard', 'reason'),
    [
        (lambda facts, options: facts.tool == 'get_status' and options == {'most': 3}, ''),
        (lambda facts, options: False, 'Too far'),
        (lambda facts, options: None, 'says that it does not know'),
        (lambda facts, options: 1, 'says 1, not True or False'),
        (lambda facts, options: 'yes', "says 'yes', not True or False"),
        (lambda: True, 'failed (TypeError'),
        (raises, 'failed (RuntimeError: no \N{REPLACEMENT CHARACTER}[31mcamera)'),
        (leaves, 'failed (SystemExit: 3)'),
        (cancels, 'failed (CancelledError)'),
        (raises_unwritten, 'failed (NotWritten)'),
        (lambda facts, options: NotWritten(), 'says something of the type NotWritten, not True'),
        (lambda facts, options: 10**5000, 'says something of the type int, not True'),
    ],
)
def test_only_true_allows_a_tool(
    plug: Plug, bench: MakeBench, propose: Propose, guard: Any, reason: str
) -> None:
    plug(GUARDS, guard)
    it = bench(propose('get_status'), Answer('done'), overrides=GUARDED)
    it.status()
    it.goal('how are you')
    if not reason:
        it.until(lambda: it.robot.sent)
        return
    it.until(lambda: it.planner.results)
    assert not it.robot.sent
    assert reason in it.planner.results[0].error_reason


def test_a_guard_cannot_change_the_call(plug: Plug, bench: MakeBench, propose: Propose) -> None:
    def meddles(facts: Any, options: Any) -> bool:
        facts.arguments['text'] = 'something else'
        facts.parts['mast'] = 'closed'
        options.clear()
        return True

    plug(GUARDS, meddles)
    overrides = (GUARDED[0], 'robot.tools.speak.guards=[mine]')
    it = bench(propose('speak', text='hello'), Answer('done'), overrides=overrides)
    it.status()
    it.goal('say hello')
    it.until(lambda: it.planner.results)
    assert [each.data['spoken'] for each in it.events if each.data and 'spoken' in each.data] == [
        'hello'
    ]
    assert it.context.state.robot.parts['mast'] == 'open'
    assert it.context.config.robot.guards['mine'].options == {'most': 3}


ENTRY = TopicField(topic='/joints', field='position', reduce='own')


@pytest.mark.parametrize(
    ('reducer', 'wanted'),
    [
        (sum, 6.0),
        (lambda values: 'three', 'three'),
        (lambda values: None, 'which is no value'),
        (lambda values: [1.0], 'which is no value'),
        (lambda values: float('nan'), 'says nan, which is no value'),
        (raises, 'reducer own failed'),
        (cancels, 'reducer own failed'),
        (lambda values: NotWritten(), 'something of the type NotWritten, which is no value'),
        (lambda values: 10**5000, 'something of the type int, which is no value'),
        (lambda values: 'x' * 10**6, "position is 'xxx"),
    ],
)
def test_a_reducer_makes_a_value_or_it_is_not_known(reducer: Any, wanted: Any) -> None:
    message = JointState(position=[1.0, 2.0, 3.0])
    reducers = {'own': contained_reducer('own', reducer)}
    if isinstance(wanted, float) or wanted == 'three':
        assert value_of(message, ENTRY, reducers) == wanted
    else:
        with pytest.raises(ValueError, match=wanted):
            value_of(message, ENTRY, reducers)


def test_an_empty_list_is_not_known_whatever_the_reducer() -> None:
    with pytest.raises(ValueError, match='position is empty'):
        value_of(JointState(), ENTRY, {'own': contained_reducer('own', lambda values: 0.0)})


class Behaviour:
    """Goes on until it is told what to answer."""

    answers: ClassVar[list[Any]] = []
    calls: ClassVar[list[str]] = []

    def start(self, facts: Any, options: Any) -> None:
        """Notes it."""
        self.calls.append(f'start {facts.arguments} {options}')

    def update(self, facts: Any) -> Any:
        """Answers."""
        answer = self.answers.pop(0) if self.answers else None
        return answer() if callable(answer) else answer

    def stop(self) -> None:
        """Notes it."""
        self.calls.append('stop')


SWEEP = 'robot.tools.sweep={behaviour: own, options: {side: left}, args: {row: {type: integer}}}'


@pytest.mark.parametrize(
    ('answer', 'ok', 'words'),
    [
        (Done({'swept': 3}), True, ''),
        (Failed('The broom is \x07gone'), False, 'The broom is \N{REPLACEMENT CHARACTER}gone'),
        (Done({'swept': object()}), False, 'its data is no JSON object of at most 100000'),
        (Done({'swept': float('nan')}), False, 'its data is no JSON object'),
        (Done({'swept': 'x' * 10**6}), False, "characters: {'swept': 'xxx"),
        (Done({'swept': NotWritten()}), False, 'something of the type dict'),
        (NotWritten(), False, 'says something of the type NotWritten, which is no Done'),
        (cancels, False, 'The plug-in of tool sweep failed (CancelledError)'),
        (True, False, 'says True, which is no Done'),
        (raises, False, 'The plug-in of tool sweep failed (RuntimeError'),
    ],
)
def test_a_behaviour_carries_a_tool_out(
    plug: Plug, bench: MakeBench, propose: Propose, answer: Any, ok: bool, words: str
) -> None:
    Behaviour.answers, Behaviour.calls = [None, answer], []
    plug('bt_executive.behaviours', Behaviour)
    it = bench(propose('sweep', row=2), Answer('done'), overrides=[SWEEP])
    it.status()
    it.goal('sweep')
    it.until(lambda: it.planner.results)
    result = it.planner.results[0]
    assert (result.ok, result.data) == (ok, {'swept': 3} if ok else {})
    assert words in result.error_reason
    assert Behaviour.calls == ["start {'row': 2} {'side': 'left'}", 'stop']


def test_names_in_a_result_are_texts(plug: Plug, bench: MakeBench, propose: Propose) -> None:
    Behaviour.answers, Behaviour.calls = [Done({1: 'one', 'message': 2})], []  # type: ignore[dict-item]
    plug('bt_executive.behaviours', Behaviour)
    it = bench(propose('sweep', row=2), Answer('done'), overrides=[SWEEP])
    it.status()
    it.goal('sweep')
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].data == {'1': 'one', 'message': 2}


@pytest.mark.parametrize('made', [lambda: None, lambda wanted: None])
def test_what_is_no_behaviour_fails_the_tool(
    plug: Plug, bench: MakeBench, propose: Propose, made: Any
) -> None:
    plug('bt_executive.behaviours', made)
    it = bench(propose('sweep', row=2), Answer('done'), overrides=[SWEEP])
    it.status()
    it.goal('sweep')
    it.until(lambda: it.planner.results)
    assert 'The plug-in of tool sweep failed (' in it.planner.results[0].error_reason


def test_a_stop_ends_a_behaviour_at_once(plug: Plug, bench: MakeBench, propose: Propose) -> None:
    Behaviour.answers, Behaviour.calls = [], []
    plug('bt_executive.behaviours', Behaviour)
    it = bench(propose('sweep', row=2), Answer('done'), overrides=[SWEEP])
    it.status()
    it.goal('sweep')
    it.until(lambda: Behaviour.calls)
    it.inbox.put(StopRequested('operator'))
    it.tick()
    assert Behaviour.calls[1:] == ['stop']


@pytest.mark.parametrize(
    'key', ['service: adapter.get_status', 'resources_required: [base]', 'topic: robot.stop']
)
def test_a_behaviour_has_nothing_that_moves(plug: Plug, key: str) -> None:
    plug('bt_executive.behaviours', Behaviour)
    with pytest.raises(ConfigError, match='it has a behaviour, which moves nothing by itself'):
        load_config(None, [f'robot.tools.sweep={{behaviour: own, {key}}}'])


class Planner:
    """Does what a test says at each method."""

    at: ClassVar[dict[str, Any]] = {}

    def __init__(self, options: Any, wake: Any) -> None:
        self.at.get('init', lambda: None)()

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self.at.get(name, lambda: None)()


@pytest.mark.parametrize(
    ('at', 'words'),
    [
        ({'start': raises}, 'The planner own failed (RuntimeError'),
        ({'poll': raises}, 'The planner own failed (RuntimeError'),
        ({'poll': lambda: 'go'}, "The planner own gave 'go', which is no output"),
        ({'poll': lambda: PlannerFailure('tired')}, 'tired'),
        ({'give': leaves}, 'The planner own failed (SystemExit'),
        ({'poll': NotWritten}, 'The planner own gave something of the type NotWritten'),
        (
            {'poll': lambda: Proposal('1', 'speak', {'text': NotWritten()})},
            'The planner own gave arguments that are no JSON object: something of the type dict',
        ),
    ],
)
def test_what_goes_wrong_in_a_planner_fails_the_goal(
    plug: Plug, at: dict[str, Any], words: str
) -> None:
    plug('bt_executive.planners', Planner)
    Planner.at = at
    woken: list[bool] = []
    planner = make_planner(load_config(None, ['planner.plugin=own']), lambda: woken.append(True))
    planner.start('go', PlannerContext(()))
    planner.give(ToolResult(True))
    output = planner.poll()
    assert isinstance(output, PlannerFailure)
    assert words in output.reason
    Planner.at = {}
    assert planner.poll() is None
    assert (planner.news(), planner.use().calls) == ((), 0)
    planner.close()


def test_a_goal_is_pursued_by_a_planner_that_is_installed(
    bench: MakeBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_example(tmp_path, monkeypatch)
    steps = [{'tool': 'speak', 'arguments': {'text': 'hello'}}, {'tool': 'get_status'}]
    it = bench()
    it.recast(planner=plugged_planner('fixed_steps', {'steps': steps}, lambda: None))
    it.status()
    it.goal('go')
    it.until(lambda: it.robot.sent)
    it.inbox.put(SessionAnswer(it.robot.sent[0][0], CallInput.FAIL, {'reason': 'no'}))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert [each.data['spoken'] for each in it.events if each.data and 'spoken' in each.data]


def test_a_planner_that_cannot_be_made_ends_the_start(plug: Plug) -> None:
    plug('bt_executive.planners', Planner)
    Planner.at = {'init': raises}
    with pytest.raises(
        ConfigError, match=r'planner.plugin: The planner own failed \(RuntimeError'
    ):
        make_planner(load_config(None, ['planner.plugin=own']), lambda: None)


def test_what_does_not_answer_in_time_has_said_nothing(
    plug: Plug, bench: MakeBench, propose: Propose, hanging: Hanging
) -> None:
    plug(GUARDS, hanging)
    it = bench(propose('get_status'), propose('get_status'), Answer('done'), overrides=GUARDED)
    it.status()
    it.goal('how are you')
    it.until(lambda: it.planner.results)
    assert not it.robot.sent
    said = it.planner.results[0].error_reason
    assert said.startswith('The plug-in of guard mine ')
    assert said.endswith(', so whether it allows the tool is not known')


def test_a_plug_in_that_hangs_is_asked_nothing_until_it_returns() -> None:
    thread, hanging, stopped = PluginThread('it'), Hanging(), threading.Event()
    with pytest.raises(PluginFault, match=r'^it has not answered within 0.05 s$'):
        thread.ask(0.05, hanging)
    with pytest.raises(PluginFault, match=r'^it is still busy with an earlier call$'):
        thread.ask(120.0, lambda: 1)
    with pytest.raises(PluginFault, match='still busy with an earlier call, and ends after'):
        thread.end(120.0, stopped.set)
    assert not stopped.is_set()
    hanging.release()
    assert stopped.wait(120.0)
    assert thread.ask(120.0, lambda: 1) == 1


def test_a_reducer_that_hangs_makes_no_value(hanging: Hanging) -> None:
    reducers = {'own': contained_reducer('own', lambda values: hanging())}
    for why in ('reducer own has not answered within', 'reducer own is still busy'):
        with pytest.raises(ValueError, match=why):
            value_of(JointState(position=[1.0]), ENTRY, reducers)


def test_a_behaviour_that_hangs_is_stopped_when_it_returns(
    plug: Plug, bench: MakeBench, propose: Propose, hanging: Hanging
) -> None:
    Behaviour.answers, Behaviour.calls = [hanging], []
    plug('bt_executive.behaviours', Behaviour)
    it = bench(propose('sweep', row=2), Answer('done'), overrides=[SWEEP])
    it.status()
    it.goal('sweep')
    it.until(lambda: it.planner.results)
    assert 'The plug-in of tool sweep has not answered' in it.planner.results[0].error_reason
    assert 'stop' not in Behaviour.calls
    hanging.release()
    wait_until(lambda: 'stop' in Behaviour.calls, 'it is stopped')


def test_a_planner_that_hangs_fails_the_goal_and_the_next(plug: Plug, hanging: Hanging) -> None:
    plug('bt_executive.planners', Planner)
    Planner.at = {'start': hanging}
    planner = make_planner(load_config(None, ['planner.plugin=own']), lambda: None)
    for words in ('has not answered within 0.05 s', 'is still busy with an earlier call'):
        planner.start('go', PlannerContext(()))
        output = planner.poll()
        assert isinstance(output, PlannerFailure)
        assert output.reason == f'The planner own {words}'
    planner.close()


ASKED = [each for each in dir(GuardContract) if each.startswith('test_')]


@pytest.mark.parametrize(
    ('guard', 'broken'),
    [
        (lambda facts, options: 'yes', {'test_it_answers_whatever_is_known'}),
        (raises, {*ASKED}),
        (lambda facts, options: True, {'test_what_is_not_known_is_not_the_good_case'}),
        (
            lambda facts, options: bool(options.setdefault('asked', [])) or None,
            {'test_it_changes_neither_facts_nor_options'},
        ),
        (lambda facts, options: False, set()),
    ],
)
def test_the_contract_finds_a_guard_that_breaks_it(
    plug: Plug, guard: Any, broken: set[str]
) -> None:
    plug(GUARDS, guard)
    contract = type('TestOwn', (GuardContract,), {'name': 'own'})()
    found = set()
    for name in ASKED:
        try:
            getattr(contract, name)()
        except (AssertionError, PluginFault, RuntimeError):
            found.add(name)
    assert found == broken


def test_the_groups_are_those_of_the_port() -> None:
    assert {REDUCERS, GUARDS} < {*GROUPS}
