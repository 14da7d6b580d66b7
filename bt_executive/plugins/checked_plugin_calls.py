"""Calls plug-ins, each in its own thread, and validates their answers.

A caller waits for a limited time. Python cannot interrupt a call: it goes on in its thread, its
late answer is dropped, and until it has returned the plug-in is not called again. Errors and
invalid answers become refusals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from copy import deepcopy
from functools import cache, partial
import json
from queue import SimpleQueue
from typing import Any, NoReturn

from bt_executive.core.guard_view_and_verdict import GuardReading, GuardView, allows, refuses
from bt_executive.core.guards import not_settled
from bt_executive.plugins.installed_plugins import exception_text, load
from bt_executive.plugins.plugin_interfaces import (
    LIMIT_S,
    REDUCERS,
    PluginContext,
    PluginGuard,
    PluginReducer,
)
from rover_common.config.settings import PartCondition
from rover_common.config.settings.state_and_guards import BUILT_IN_REDUCERS, TopicField
from rover_common.json_values import finite_number, read_arguments
from rover_common.process.threads import start_thread
from rover_common.state_values import Reducers
from rover_common.text_sanitizing import one_line, sendable


class PluginFault(Exception):  # noqa: N818 (of the plug-in, not of ours)
    """A plug-in raised or timed out; the text names it and the reason."""


class PluginThread:
    """Calls one plug-in, one call after the other. May be used from any thread."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._late: Future[Any] | None = None  # the latest call that timed out
        start_thread(self._run, f'plug-in {title}')

    def call(self, timeout_s: float, function: Callable[..., Any], *args: Any) -> Any:
        """Calls, and returns the answer.

        Raises:
            PluginFault: It raised, it has not returned after `timeout_s`, or it is still in a
                call that timed out.
        """
        if self._is_stuck():
            self._refuse('is still busy with an earlier call')
        answer = self._put(function, args)
        if not wait([answer], timeout_s).done:
            self._late = answer
            self._refuse(f'has not answered within {timeout_s:g} s')
        return answer.result()

    def call_to_end(self, timeout_s: float, function: Callable[..., Any], *args: Any) -> None:
        """Like `call`, for what ends something: a stuck plug-in runs it when it returns."""
        if self._is_stuck():
            self._put(function, args)
            self._refuse('is still busy with an earlier call, and ends after it')
        self.call(timeout_s, function, *args)

    def _is_stuck(self) -> bool:
        return self._late is not None and not self._late.done()

    def _put(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Future[Any]:
        answer = Future[Any]()
        self._calls.put((answer, partial(function, *args)))
        return answer

    def _refuse(self, reason: str) -> NoReturn:
        raise PluginFault(f'{self._title} {reason}')

    def _run(self) -> None:
        """Calls. Any exception is the plug-in's: no signal is handled in this thread."""
        while True:
            answer, call = self._calls.get()
            try:
                answer.set_result(call())
            except BaseException as error:
                reason = f'failed ({exception_text(error)})'
                answer.set_exception(PluginFault(f'{self._title} {reason}'))


@cache
def thread_of(title: str) -> PluginThread:
    """Returns the thread of a plug-in, which is started with its first call."""
    return PluginThread(title)


def call(title: str, function: Callable[..., Any], *args: Any, more_s: float = 0.0) -> Any:
    """Calls a plug-in in its thread and returns its answer. `more_s`: in addition to LIMIT_S.

    Raises:
        PluginFault: It raised, or has not answered in time.
    """
    return thread_of(title).call(LIMIT_S + more_s, function, *args)


def call_to_end(title: str, function: Callable[..., Any], *args: Any, more_s: float = 0.0) -> None:
    """Like `call`, for a method that ends something: run later if an earlier call is stuck."""
    thread_of(title).call_to_end(LIMIT_S + more_s, function, *args)


LONGEST_JSON = 100_000  # characters; they stand in the trace and in the journal
LONGEST_ANSWER = 60  # characters of an invalid answer that are shown


def answer_text(title: str, answer: object) -> str:
    """Returns an answer as a refusal names it. Its `repr` is the plug-in's code, too."""
    try:
        text = call(title, repr, answer)
    except PluginFault:
        text = f'something of the type {type(answer).__name__}'
    return one_line(text[:LONGEST_ANSWER])


def json_object(data: Any) -> dict[str, Any] | None:
    """Returns a plug-in's data as JSON values; None: it is no JSON object, or too long.

    Call it in the plug-in's thread: its values may be serialised by the plug-in's code.
    """
    try:
        text = json.dumps(data, allow_nan=False)
        return read_arguments(text) if len(text) <= LONGEST_JSON else None
    except (TypeError, ValueError, RecursionError):
        return None


def plugin_context(view: GuardView) -> PluginContext:
    """Returns the part of a guard's view that plug-ins may read."""
    robot, now = view.state.robot, view.now
    pose = robot.pose.planar
    has_battery = robot.battery_at is not None and not robot.battery_stale
    return PluginContext(
        parts=dict(robot.parts),
        pose=None if robot.pose_at is None else (pose.x, pose.y, pose.yaw),
        pose_age_s=None if robot.pose_at is None else now.steady - robot.pose_at,
        battery_pct=robot.battery_pct if has_battery else None,
        tool=view.tool,
        arguments=deep_copy(view.arguments),
        running=view.running,
        now_s=now.steady,
    )


def read_guard(
    name: str, condition: PartCondition, guard: PluginGuard, view: GuardView
) -> GuardReading:
    """Returns the reading of a guard. An error or an invalid answer is unknown, which refuses."""
    if view.is_past(condition):
        return allows(name)
    has_status = view.state.robot.status_at is not None
    if has_status and (unsettled := not_settled(name, view)):
        return unsettled
    title, options = f'The plug-in of guard {name}', deep_copy(condition.options)
    try:
        answer = call(title, guard, plugin_context(view), options)
    except PluginFault as error:
        return refuses(name, f'{error}, so whether it allows the tool is not known')
    if answer is True:
        return allows(name, True)
    if answer is False:
        return refuses(name, condition.reason, False)
    if answer is None:
        return refuses(name, f'{title} says that it does not know', passing=True)
    return refuses(name, f'{title} says {answer_text(title, answer)}, not True or False')


def checked_reducer(name: str, reducer: PluginReducer) -> Callable[[list[Any]], Any]:
    """Returns a function that reduces a list to one value with a plug-in.

    It raises ValueError if the plug-in fails or its answer is no value.
    """
    title = f'reducer {name}'

    def reduce(values: list[Any]) -> Any:
        try:
            answer = call(title, reducer, values)
        except PluginFault as error:
            raise ValueError(str(error)) from None
        is_text = isinstance(answer, str) and sendable(answer) == answer
        if is_text or isinstance(answer, bool) or finite_number(answer) is not None:
            return answer
        raise ValueError(f'{title} says {answer_text(title, answer)}, which is no value')

    return reduce


def deep_copy(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a copy of options or arguments that a plug-in may change."""
    return deepcopy(dict(values))


def plugin_reducers(fields: Iterable[TopicField]) -> Reducers:
    """Return the reducers of plug-ins that these fields of the state name, by name."""
    names = {field.reduce for field in fields if field.reduce} - {*BUILT_IN_REDUCERS}
    return {name: checked_reducer(name, load(REDUCERS, name)) for name in sorted(names)}
