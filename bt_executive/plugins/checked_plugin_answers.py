"""Reads what plug-ins answer: what goes wrong in one, or is no answer, stays in it and is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
import json
from typing import Any

from bt_executive.core.built_in_guards import not_settled
from bt_executive.core.guard_verdict import GuardReading, allows, refuses
from bt_executive.core.guard_view import GuardView
from bt_executive.plugins.plugin_interfaces import Facts, PluginGuard, PluginReducer
from bt_executive.plugins.plugin_thread import PluginFault, call
from rover_common.config.settings import PartCondition
from rover_common.finite_number import finite_number
from rover_common.printable import one_line

LONGEST_JSON = 100_000  # characters; they stand in the trace and in the journal
LONGEST_SHOWN = 60  # characters of an answer that is none


def shown(title: str, answer: object) -> str:
    """Returns an answer as a refusal names it. How it is written is the plug-in's code, too."""
    try:
        text = call(title, repr, answer)
    except PluginFault:
        text = f'something of the type {type(answer).__name__}'
    return one_line(text[:LONGEST_SHOWN])


def json_object(data: Any) -> dict[str, Any] | None:
    """Returns what a plug-in gives as JSON has it; None: it is no object, or too long.

    To be called in its thread: how its values are written may be its own code.
    """
    try:
        text = json.dumps(data, allow_nan=False)
        whole = json.loads(text) if len(text) <= LONGEST_JSON else None
    except (TypeError, ValueError, RecursionError):
        return None
    return whole if isinstance(whole, dict) else None


def facts_of(view: GuardView) -> Facts:
    """Returns what plug-ins may read of a guard's view."""
    robot, now = view.state.robot, view.now
    pose = robot.pose.planar
    known = robot.battery_at is not None and not robot.battery_stale
    return Facts(
        parts=dict(robot.parts),
        pose=None if robot.pose_at is None else (pose.x, pose.y, pose.yaw),
        pose_age_s=None if robot.pose_at is None else now.steady - robot.pose_at,
        battery_pct=robot.battery_pct if known else None,
        tool=view.tool,
        arguments=copied(view.arguments),
        running=view.running,
        now_s=now.steady,
    )


def read_guard(
    name: str, condition: PartCondition, guard: PluginGuard, view: GuardView
) -> GuardReading:
    """Returns what a guard says. What it does not say clearly is not known, which refuses."""
    if view.is_past(condition):
        return allows(name)
    reports = view.state.robot.status_at is not None
    if reports and (old := not_settled(name, view)):
        return old
    title, options = f'The plug-in of guard {name}', copied(condition.options)
    try:
        answer = call(title, guard, facts_of(view), options)
    except PluginFault as error:
        return refuses(name, f'{error}, so whether it allows the tool is not known')
    if answer is True:
        return allows(name, True)
    if answer is False:
        return refuses(name, condition.reason, False)
    if answer is None:
        return refuses(name, f'{title} says that it does not know', passing=True)
    return refuses(name, f'{title} says {shown(title, answer)}, not True or False')


def contained_reducer(name: str, reducer: PluginReducer) -> Callable[[list[Any]], Any]:
    """Returns a function that makes one value of a list.

    It raises ValueError where the plug-in does not say one.
    """
    title = f'reducer {name}'

    def reduced(values: list[Any]) -> Any:
        try:
            answer = call(title, reducer, values)
        except PluginFault as error:
            raise ValueError(str(error)) from None
        if isinstance(answer, (bool, str)) or finite_number(answer) is not None:
            return answer
        raise ValueError(f'{title} says {shown(title, answer)}, which is no value')

    return reduced


def copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options or arguments that a plug-in may change without changing ours."""
    return deepcopy(dict(values))
