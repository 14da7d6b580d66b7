"""Plug-ins: which are found, what they may answer, and that their faults stay in them."""

from __future__ import annotations

from pathlib import Path
import threading
from typing import Any

from faulty_plugins import (
    MODULE,
    Hanging,
    NotWritten,
    Plug,
    cancels,
    leaves,
    raises,
    raises_unwritten,
)
from plugin_packages import write_metadata
import pytest
from sensor_msgs.msg import JointState
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer
from bt_executive.plugins.checked_plugin_calls import PluginFault, PluginThread, checked_reducer
from bt_executive.plugins.contract_tests import GuardContract
from bt_executive.plugins.installed_plugins import load, names
from bt_executive.plugins.plugin_interfaces import GROUPS, GUARDS, REDUCERS
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.settings.state_and_guards import TopicField
from rover_common.errors import ConfigError
from rover_common.state_values import value_of


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
@pytest.mark.slow
def test_a_name_that_is_not_installed_is_refused_at_the_start(
    plug: Plug, override: str, key: str, name: str
) -> None:
    plug(GUARDS, raises)
    with pytest.raises(ConfigError) as error:
        Registry(load_config(None, [override.format(name)]))
    assert f'{key}: {name!r} is no installed plug-in of the group' in str(error.value)
    assert 'install the Python package that has it' in str(error.value)
    assert str(error.value).count('\n') == 0


@pytest.mark.slow
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
        (lambda context, options: context.tool == 'get_status' and options == {'most': 3}, ''),
        (lambda context, options: False, 'Too far'),
        (lambda context, options: None, 'says that it does not know'),
        (lambda context, options: 1, 'says 1, not True or False'),
        (lambda context, options: 'yes', "says 'yes', not True or False"),
        (lambda: True, 'failed (TypeError'),
        (raises, 'failed (RuntimeError: no \N{REPLACEMENT CHARACTER}[31mcamera)'),
        (leaves, 'failed (SystemExit: 3)'),
        (cancels, 'failed (CancelledError)'),
        (raises_unwritten, 'failed (NotWritten)'),
        (lambda context, options: NotWritten(), 'says something of the type NotWritten, not True'),
        (lambda context, options: 10**5000, 'says something of the type int, not True'),
    ],
)
@pytest.mark.slow
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
    def meddles(context: Any, options: Any) -> bool:
        context.arguments['text'] = 'something else'
        context.parts['mast'] = 'closed'
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
        (lambda values: 'half \ud800', 'which is no value'),
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
    reducers = {'own': checked_reducer('own', reducer)}
    if isinstance(wanted, float) or wanted == 'three':
        assert value_of(message, ENTRY, reducers) == wanted
    else:
        with pytest.raises(ValueError, match=wanted):
            value_of(message, ENTRY, reducers)


def test_an_empty_list_is_not_known_whatever_the_reducer() -> None:
    with pytest.raises(ValueError, match='position is empty'):
        value_of(JointState(), ENTRY, {'own': checked_reducer('own', lambda values: 0.0)})


@pytest.mark.slow
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
        thread.call(0.05, hanging)
    with pytest.raises(PluginFault, match=r'^it is still busy with an earlier call$'):
        thread.call(120.0, lambda: 1)
    with pytest.raises(PluginFault, match='still busy with an earlier call, and ends after'):
        thread.call_to_end(120.0, stopped.set)
    assert not stopped.is_set()
    hanging.release()
    assert stopped.wait(120.0)
    assert thread.call(120.0, lambda: 1) == 1


def test_a_reducer_that_hangs_makes_no_value(hanging: Hanging) -> None:
    reducers = {'own': checked_reducer('own', lambda values: hanging())}
    for why in ('reducer own has not answered within', 'reducer own is still busy'):
        with pytest.raises(ValueError, match=why):
            value_of(JointState(position=[1.0]), ENTRY, reducers)


ASKED = [each for each in dir(GuardContract) if each.startswith('test_')]


@pytest.mark.parametrize(
    ('guard', 'broken'),
    [
        (lambda context, options: 'yes', {'test_it_answers_in_every_context'}),
        (raises, {*ASKED}),
        (lambda context, options: True, {'test_it_does_not_allow_in_an_empty_context'}),
        (
            lambda context, options: bool(options.setdefault('asked', [])) or None,
            {'test_it_changes_neither_context_nor_options'},
        ),
        (lambda context, options: False, set()),
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
