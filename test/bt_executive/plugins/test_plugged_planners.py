"""Planners that are plug-ins: what they may propose, and that their faults stay in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from driving_bench import STOP
from faulty_plugins import Hanging, NotWritten, Plug, leaves, raises
from plugin_packages import install_example
import pytest
from tree_bench import MakeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import (
    Answer,
    Notice,
    PlannerContext,
    PlannerFailure,
    Proposal,
    StreamChunk,
    ToolResult,
)
from bt_executive.core.inputs import ServerCallUpdate, StopRequested
from bt_executive.planner.configured_planner import make_planner
from bt_executive.planner.plugged_planner import plugged_planner
from rover_common.config.load import load_config
from rover_common.errors import ConfigError

ODD: Any = 3


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


@pytest.mark.parametrize(
    'news', [('x',), (None,), (Notice(ODD),), (StreamChunk(ODD, 'x'),)], ids=repr
)
def test_what_is_no_news_fails_the_goal_and_the_tree_still_obeys_a_stop(
    bench: MakeBench, plug: Plug, news: tuple[Any, ...]
) -> None:
    plug('bt_executive.planners', Planner)
    Planner.at = {'news': lambda: news}
    it = bench()
    it.recast(
        planner=plugged_planner('own', {}, lambda: None), listener=lambda chunk: str(chunk.kind)
    )
    it.status()
    it.goal('go')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'failed'
    assert 'which is no news' in it.reporter.endings[0]['answer']
    assert not it.context.state.world.safety_reason
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert it.robot.names == [STOP]


@pytest.mark.parametrize(
    ('output', 'text'),
    [
        (Answer('a\ud800\x1b[31m'), 'a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[31m'),
        (Answer('a' * 9000), 'a' * 8000),
        (PlannerFailure('n\ud800'), 'n\N{REPLACEMENT CHARACTER}'),
        (Proposal('1', 'sp\ud800ak', {}), r'sp\ud800ak'),
    ],
)
def test_texts_of_a_planner_can_be_written(plug: Plug, output: Any, text: str) -> None:
    plug('bt_executive.planners', Planner)
    Planner.at = {'poll': lambda: output, 'news': lambda: (Notice('\ud800'),)}
    planner = plugged_planner('own', {}, lambda: None)
    planner.start('go', PlannerContext(()))
    assert planner.news() == (Notice('\N{REPLACEMENT CHARACTER}'),)
    given = planner.poll()
    assert text in vars(given).values()


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
    it.inbox.put(ServerCallUpdate(it.robot.sent[0][0], CallInput.FAIL, {'reason': 'no'}))
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


class WithoutGive:
    """Has all methods of a planner but one."""

    start = poll = cancel = news = use = close = staticmethod(lambda *_: None)


@pytest.mark.parametrize(
    ('made', 'text'),
    [
        (None, "is None, which has no method start: let 'own' return a Planner"),
        (WithoutGive(), 'which has no method give'),
        (WithoutGive, 'which has no method give'),
    ],
)
def test_what_is_no_planner_ends_the_start(plug: Plug, made: Any, text: str) -> None:
    plug('bt_executive.planners', lambda options, wake: made)
    with pytest.raises(ConfigError, match=r'planner\.plugin: The planner own is .*') as error:
        make_planner(load_config(None, ['planner.plugin=own']), lambda: None)
    assert text in str(error.value)


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
