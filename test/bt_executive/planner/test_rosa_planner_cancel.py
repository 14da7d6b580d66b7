"""Cancelling ROSA's own loop: whatever it is at, its thread ends and nothing comes of it."""

from __future__ import annotations

from collections.abc import Callable
import threading

from langchain_core.messages import AIMessage
from planner_world import CONTEXT, model_that_says, next_output, say
import pytest
from waiting import wait_until

from bt_executive.core.executive_ports import (
    Answer,
    Notice,
    ToolResult,
)
from bt_executive.planner.rosa_planner import RosaPlanner

DONE = ToolResult(True)


class OwnThreads:
    """The threads that have begun since; others may end meanwhile."""

    def __init__(self) -> None:
        self._before = {*threading.enumerate()}

    def count(self) -> int:
        return len({*threading.enumerate()} - self._before)


def test_a_cancel_in_a_tool_unwinds(planner_of: Callable[..., RosaPlanner]) -> None:
    model = model_that_says(say('', ('get_status', {})), say('Never said.'))
    planner = planner_of(model)
    threads = OwnThreads()
    planner.start('go', CONTEXT)
    next_output(planner)
    assert threads.count() == 1
    planner.cancel()
    wait_until(lambda: not threads.count())
    assert len(model.seen) == 1
    assert planner.poll() is None


def test_what_a_cancelled_thought_brings_is_dropped(
    planner_of: Callable[..., RosaPlanner],
) -> None:
    thinking, go_on = threading.Event(), threading.Event()

    def slow() -> AIMessage:
        thinking.set()
        assert go_on.wait(60.0)
        return say('', ('move_nudge', {}))

    planner = planner_of(model_that_says(slow, say('From the new goal.')))
    threads = OwnThreads()
    planner.start('old', CONTEXT)
    assert thinking.wait(60.0)
    planner.cancel()
    planner.start('new', CONTEXT)
    assert next_output(planner) == Answer('From the new goal.')
    go_on.set()
    wait_until(lambda: not threads.count())
    assert planner.poll() is None
    assert Notice('A late answer of the model was dropped.') in planner.news()


@pytest.mark.slow
def test_a_cancel_ends_the_holding_back_of_a_failing_call(
    planner_of: Callable[..., RosaPlanner],
) -> None:
    model = model_that_says(lambda: say('', ('get_status', {})))
    planner = planner_of(model)
    threads = OwnThreads()
    planner.start('go', CONTEXT)
    for _ in range(4):
        next_output(planner)
        planner.give(ToolResult(False, 'Not available'))
    wait_until(lambda: len(model.seen) == 5)
    planner.cancel()
    wait_until(lambda: not threads.count())


@pytest.mark.slow
def test_fifty_cancellations_leave_no_thread(planner_of: Callable[..., RosaPlanner]) -> None:
    planner = planner_of(model_that_says(lambda: say('', ('get_status', {}))))
    threads = OwnThreads()
    for number in range(50):
        planner.start(f'goal {number}', CONTEXT)
        if number % 2:
            next_output(planner)
        planner.cancel()
    wait_until(lambda: not threads.count())


def test_wakes_from_the_worker_for_each_output(planner_of: Callable[..., RosaPlanner]) -> None:
    wakers: list[str] = []
    model = model_that_says(say('', ('get_status', {})), say('Ok.'))
    planner = planner_of(model, lambda: wakers.append(threading.current_thread().name))
    planner.start('go', CONTEXT)
    wait_until(lambda: len(wakers) == 1)
    next_output(planner)
    planner.give(DONE)
    wait_until(lambda: len(wakers) == 2)
    next_output(planner)
    planner.give(DONE)
    assert wakers == ['planner-1', 'planner-1']
