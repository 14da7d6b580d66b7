"""Calls plug-ins and validates their answers: errors and invalid answers become refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
import json
from typing import Any

from bt_executive.core.guard_view_and_verdict import GuardReading, GuardView, allows, refuses
from bt_executive.core.guards import not_settled
from bt_executive.plugins.plugin_interfaces import PluginContext, PluginGuard, PluginReducer
from bt_executive.plugins.plugin_thread import PluginFault, call
from rover_common.config.settings import PartCondition
from rover_common.finite_number import finite_number
from rover_common.printable import one_line

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
        parsed = json.loads(text) if len(text) <= LONGEST_JSON else None
    except (TypeError, ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


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
        if isinstance(answer, (bool, str)) or finite_number(answer) is not None:
            return answer
        raise ValueError(f'{title} says {answer_text(title, answer)}, which is no value')

    return reduce


def deep_copy(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a copy of options or arguments that a plug-in may change."""
    return deepcopy(dict(values))
