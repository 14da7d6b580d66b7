"""Cancelling ROSA's own loop: whatever it is at, its thread ends and nothing comes of it."""

from __future__ import annotations

from collections.abc import Callable
import threading
from typing import Any

from langchain_core.messages import AIMessage
from waiting import wait_until

from bt_executive.core.executive_ports import (
    Answer,
    Notice,
    PlannerContext,
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


def test_a_cancel_in_a_tool_unwinds(
    model_that_says: Any,
    message: Callable[..., AIMessage],
    planner_of: Callable[..., RosaPlanner],
    context: PlannerContext,
    output_of: Callable[..., Any],
) -> None:
    model = model_that_says(message('', ('get_status', {})), message('Never said.'))
    planner = planner_of(model)
    threads = OwnThreads()
    planner.start('go', context)
    output_of(planner)
    assert threads.count() == 1
    planner.cancel()
    wait_until(lambda: not threads.count())
    assert len(model.seen) == 1
    assert planner.poll() is None


def test_what_a_cancelled_thought_brings_is_dropped(
    model_that_says: Any,
    message: Callable[..., AIMessage],
    planner_of: Callable[..., RosaPlanner],
    context: PlannerContext,
    output_of: Callable[..., Any],
) -> None:
    thinking, go_on = threading.Event(), threading.Event()

    def slow() -> AIMessage:
        thinking.set()
        assert go_on.wait(60.0)
        return message('', ('move_nudge', {}))

    planner = planner_of(model_that_says(slow, message('From the new goal.')))
    threads = OwnThreads()
    planner.start('old', context)
    assert thinking.wait(60.0)
    planner.cancel()
    planner.start('new', context)
    assert output_of(planner) == Answer('From the new goal.')
    go_on.set()
    wait_until(lambda: not threads.count())
    assert planner.poll() is None
    assert Notice('A late answer of the model was dropped.') in planner.news()


def test_a_cancel_ends_the_holding_back_of_a_failing_call(
    model_that_says: Any,
    message: Callable[..., AIMessage],
    planner_of: Callable[..., RosaPlanner],
    context: PlannerContext,
    output_of: Callable[..., Any],
) -> None:
    model = model_that_says(lambda: message('', ('get_status', {})))
    planner = planner_of(model)
    threads = OwnThreads()
    planner.start('go', context)
    for _ in range(4):
        output_of(planner)
        planner.give(ToolResult(False, 'Not available'))
    wait_until(lambda: len(model.seen) == 5)
    planner.cancel()
    wait_until(lambda: not threads.count())


def test_fifty_cancellations_leave_no_thread(
    model_that_says: Any,
    message: Callable[..., AIMessage],
    planner_of: Callable[..., RosaPlanner],
    context: PlannerContext,
    output_of: Callable[..., Any],
) -> None:
    planner = planner_of(model_that_says(lambda: message('', ('get_status', {}))))
    threads = OwnThreads()
    for number in range(50):
        planner.start(f'goal {number}', context)
        if number % 2:
            output_of(planner)
        planner.cancel()
    wait_until(lambda: not threads.count())


def test_wakes_from_the_worker_for_each_output(
    model_that_says: Any,
    message: Callable[..., AIMessage],
    planner_of: Callable[..., RosaPlanner],
    context: PlannerContext,
    output_of: Callable[..., Any],
) -> None:
    wakers: list[str] = []
    model = model_that_says(message('', ('get_status', {})), message('Ok.'))
    planner = planner_of(model, lambda: wakers.append(threading.current_thread().name))
    planner.start('go', context)
    wait_until(lambda: len(wakers) == 1)
    output_of(planner)
    planner.give(DONE)
    wait_until(lambda: len(wakers) == 2)
    output_of(planner)
    planner.give(DONE)
    assert wakers == ['planner-1', 'planner-1']
