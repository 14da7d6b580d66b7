"""What every `Planner` promises. Each implementation gets a goal that takes one get_status."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import itertools
from pathlib import Path
import threading
from typing import Any

from fakes.core import ScriptedPlanner
from langchain_core.outputs import ChatResult
from planner_world import CONTEXT, TOOLSETS, next_output
import pytest
from waiting import wait_until

from bt_executive.core.executive_ports import (
    Answer,
    Planner,
    PlannerContext,
    Proposal,
    ToolResult,
)
from bt_executive.planner.configured_planner import make_planner
from bt_executive.planner.exchange_record import RecordedChatModel
from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.store.recording_ports import RecordedPlanner
from bt_executive.store.tick_recorder import TickRecorder
from rover_common.config.load import load_config
from rover_common.errors import ProtocolError

pytestmark = pytest.mark.long

GOAL = 'What is your status?'
AT_ONCE_S = 0.05
STATUS = ToolResult(True, data={'rover_x': 1.0, 'mast_is_open': False})


def _scripted(wake: Callable[[], None]) -> Planner:
    one_goal = (Proposal('1', 'get_status', {}, 'I ask.'), Answer('All is well.'))
    return ScriptedPlanner(itertools.chain.from_iterable(itertools.repeat(one_goal)), wake)


def _offline(wake: Callable[[], None]) -> Planner:
    return make_planner(load_config(), wake)


def _noted(wake: Callable[[], None]) -> Planner:
    return RecordedPlanner(_scripted(wake), TickRecorder())


LOCAL = {'scripted': _scripted, 'offline': _offline, 'noted': _noted}


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., Planner]:
    """A planner that plays six goals of the offline model."""
    record = tmp_path / 'record.jsonl'
    recorded = make_planner(load_config(overrides=[f'planner.record={record}']), lambda: None)
    for _ in range(6):
        recorded.start(GOAL, PlannerContext(TOOLSETS['B']))
        while isinstance(wait_until(recorded.poll), Proposal):
            recorded.give(STATUS)
    recorded.close()
    overrides = ['planner.provider=recorded', f'planner.record={record}']
    return lambda wake: make_planner(load_config(overrides=overrides), wake)


class _Bell:
    """Counts how often the planner woke its owner."""

    def __init__(self) -> None:
        self.rings = 0

    def ring(self) -> None:
        self.rings += 1


@pytest.fixture
def bell() -> _Bell:
    return _Bell()


class _Gate:
    """Before every answer of a model; a closed one opens after a minute, which is noted."""

    def __init__(self) -> None:
        self._opened = threading.Event()
        self.open, self.close = self._opened.set, self._opened.clear
        self.was_waited_at_in_vain = False

    def before(self, answer: Callable[..., ChatResult]) -> Callable[..., ChatResult]:
        def answer_then(*args: Any, **kwargs: Any) -> ChatResult:
            if not self._opened.wait(60.0):
                self.was_waited_at_in_vain = True
            return answer(*args, **kwargs)

        return answer_then


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Gate]:
    """Stands before the offline model, here and behind HTTP, and before the recorded one."""
    made = _Gate()
    for model in (OfflineChatModel, RecordedChatModel):
        monkeypatch.setattr(model, '_generate', made.before(model._generate))
    made.open()
    yield made
    made.open()


@pytest.fixture(
    params=['scripted', 'offline', 'openai', 'azure', 'anthropic', 'ollama', 'recorded']
)
def planner(request: pytest.FixtureRequest, bell: _Bell) -> Iterator[Planner]:
    if request.param == 'recorded':
        made = request.getfixturevalue('played')(bell.ring)
    elif request.param in LOCAL:
        made = LOCAL[request.param](bell.ring)
    else:
        made = request.getfixturevalue('planner_for')(request.param, bell.ring)
    yield made
    made.close()


def test_has_nothing_before_the_first_goal(planner: Planner) -> None:
    assert planner.poll() is None


def test_goes_from_goal_to_proposal_to_answer(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    proposal = next_output(planner)
    assert isinstance(proposal, Proposal)
    assert proposal.tool == 'get_status'
    assert proposal.call_id
    planner.give(STATUS)
    answer = next_output(planner)
    assert isinstance(answer, Answer)
    assert answer.text


def test_gives_each_output_once_and_waits_for_its_result(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    assert planner.poll() is None
    planner.give(STATUS)
    next_output(planner)
    assert planner.poll() is None


def test_wakes_its_owner_for_every_output(planner: Planner, bell: _Bell) -> None:
    planner.start(GOAL, CONTEXT)
    wait_until(lambda: bell.rings == 1)
    assert isinstance(planner.poll(), Proposal)
    planner.give(STATUS)
    wait_until(lambda: bell.rings == 2)
    assert isinstance(planner.poll(), Answer)
    assert bell.rings == 2


def test_pursues_one_goal_after_another(planner: Planner) -> None:
    for _ in range(3):
        planner.start(GOAL, CONTEXT)
        assert isinstance(next_output(planner), Proposal)
        planner.give(STATUS)
        assert isinstance(next_output(planner), Answer)


def test_is_silent_after_cancel_until_the_next_start(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    planner.cancel()
    assert planner.poll() is None
    planner.give(STATUS)  # comes too late and has no effect
    assert planner.poll() is None
    planner.start(GOAL, CONTEXT)
    assert next_output(planner) is not None


def test_a_cancel_before_the_first_poll_drops_what_was_ready(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    planner.cancel()
    assert planner.poll() is None


def test_cancel_without_a_goal_does_nothing(planner: Planner) -> None:
    planner.cancel()
    planner.cancel()
    assert planner.poll() is None


def test_a_new_goal_replaces_the_one_under_way(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    planner.start(GOAL, CONTEXT)
    assert next_output(planner) is not None
    assert planner.poll() is None


def test_a_result_that_nobody_waits_for_is_a_fault_of_the_caller(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    planner.give(STATUS)
    with pytest.raises(ProtocolError, match='no proposal'):
        planner.give(STATUS)


def test_a_refusal_is_a_result_like_any_other(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    planner.give(ToolResult(False, 'Move in progress'))
    assert next_output(planner) is not None


def test_no_method_waits_for_the_model(planner: Planner, gate: _Gate) -> None:
    gate.close()
    planner.start(GOAL, CONTEXT)
    planner.poll()
    planner.cancel()
    gate.open()
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    gate.close()
    planner.give(STATUS)
    planner.poll()
    planner.cancel()
    assert not gate.was_waited_at_in_vain


def test_close_ends_it_and_may_be_repeated(planner: Planner) -> None:
    planner.start(GOAL, CONTEXT)
    next_output(planner)
    planner.close()
    planner.close()
    assert planner.poll() is None
