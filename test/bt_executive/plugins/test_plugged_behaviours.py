"""Tools that a plug-in carries out: what they may answer, and that their faults stay in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from faulty_plugins import Hanging, NotWritten, Plug, cancels, raises
from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench
from waiting import wait_until

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import StopRequested
from bt_executive.plugins.plugin_interfaces import Done, Failed
from rover_common.clocks import Standstill
from rover_common.config.load import load_config
from rover_common.errors import ConfigError


class Behaviour:
    """Goes on until it is told what to answer."""

    answers: ClassVar[list[Any]] = []
    calls: ClassVar[list[str]] = []

    def start(self, context: Any, options: Any) -> None:
        """Notes it."""
        self.calls.append(f'start {context.arguments} {options}')

    def update(self, context: Any) -> Any:
        """Answers."""
        answer = self.answers.pop(0) if self.answers else None
        return answer() if callable(answer) else answer

    def stop(self) -> None:
        """Notes it."""
        self.calls.append('stop')


SWEEP = 'robot.tools.sweep={behaviour: own, options: {side: left}, args: {row: {type: integer}}}'


def sweep(
    plug: Plug, bench: MakeBench, propose: Propose, *answers: Any, made: Any = Behaviour
) -> TreeBench:
    """A goal whose tool is carried out by a behaviour with these answers."""
    Behaviour.answers, Behaviour.calls = [*answers], []
    plug('bt_executive.behaviours', made)
    it = bench(propose('sweep', row=2), Answer('done'), overrides=[SWEEP])
    it.status()
    it.goal('sweep')
    return it


@pytest.mark.parametrize(
    ('answer', 'ok', 'words'),
    [
        (Done({'swept': 3}), True, ''),
        (Failed('The broom is \x07gone'), False, 'The broom is \N{REPLACEMENT CHARACTER}gone'),
        (Done({'swept': object()}), False, 'its data is no JSON object of at most 100000'),
        (Done({'swept': float('nan')}), False, 'its data is no JSON object'),
        (Done({'swept': '\ud800'}), False, 'its data is no JSON object'),
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
    it = sweep(plug, bench, propose, None, answer)
    it.until(lambda: it.planner.results)
    result = it.planner.results[0]
    assert (result.ok, result.data) == (ok, {'swept': 3} if ok else {})
    assert words in result.error_reason
    assert Behaviour.calls == ["start {'row': 2} {'side': 'left'}", 'stop']


def test_names_in_a_result_are_texts(plug: Plug, bench: MakeBench, propose: Propose) -> None:
    it = sweep(plug, bench, propose, Done({1: 'one', 'message': 2}))  # type: ignore[dict-item]
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].data == {'1': 'one', 'message': 2}


@pytest.mark.parametrize('made', [lambda: None, lambda wanted: None])
def test_what_is_no_behaviour_fails_the_tool(
    plug: Plug, bench: MakeBench, propose: Propose, made: Any
) -> None:
    it = sweep(plug, bench, propose, made=made)
    it.until(lambda: it.planner.results)
    assert 'The plug-in of tool sweep failed (' in it.planner.results[0].error_reason


def test_a_stop_ends_a_behaviour_at_once(plug: Plug, bench: MakeBench, propose: Propose) -> None:
    it = sweep(plug, bench, propose)
    it.until(lambda: Behaviour.calls)
    it.inbox.put(StopRequested('operator'))
    it.tick()
    assert Behaviour.calls[1:] == ['stop']


def test_a_behaviour_that_never_ends_is_stopped_when_its_time_is_over(
    plug: Plug, bench: MakeBench, propose: Propose
) -> None:
    it = sweep(plug, bench, propose)
    began, seconds = it.now, it.context.registry['sweep'].skill.timeout_s
    it.until(lambda: it.planner.results, step=1.0)
    assert seconds <= it.now - began <= seconds + 2.0
    assert it.planner.results[0].error_reason == (
        'The plug-in of tool sweep has not ended within 60 s'
    )
    assert known(it.context.state.skills.last_result).error_code == 'TIMED_OUT'
    assert Behaviour.calls[1:] == ['stop']


def test_a_behaviour_may_first_see_what_has_arrived_during_a_suspension(
    plug: Plug, bench: MakeBench, propose: Propose
) -> None:
    it = sweep(plug, bench, propose)
    it.until(lambda: Behaviour.calls)
    it.now += 100.0
    asleep = (Standstill(it.now, 100.0),)
    Behaviour.answers = [None, Done({'swept': 3})]
    for _ in range(3):
        it.now += 0.1
        it.status()
        it.executive.step(replace(it.moment, standstills=asleep))
    assert it.planner.results[0].ok


@pytest.mark.parametrize(
    'key', ['service: adapter.get_status', 'resources_required: [base]', 'topic: robot.stop']
)
def test_a_behaviour_has_nothing_that_moves(plug: Plug, key: str) -> None:
    plug('bt_executive.behaviours', Behaviour)
    with pytest.raises(ConfigError, match='it has a behaviour, which moves nothing by itself'):
        load_config(None, [f'robot.tools.sweep={{behaviour: own, {key}}}'])


def test_a_behaviour_that_hangs_is_stopped_when_it_returns(
    plug: Plug, bench: MakeBench, propose: Propose, hanging: Hanging
) -> None:
    it = sweep(plug, bench, propose, hanging)
    it.until(lambda: it.planner.results)
    assert 'The plug-in of tool sweep has not answered' in it.planner.results[0].error_reason
    assert 'stop' not in Behaviour.calls
    hanging.release()
    wait_until(lambda: 'stop' in Behaviour.calls, 'it is stopped')
