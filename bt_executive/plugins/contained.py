"""Calls plug-ins so that what goes wrong in one stays in it, and is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
import time
from typing import Any

from bt_executive.core.guard_verdict import GuardReading, allows, refuses
from bt_executive.core.guards import GuardView
from bt_executive.plugins.installed import fault
from bt_executive.plugins.plugin_ports import LIMIT_S, Facts, PluginGuard, PluginReducer
from rover_common.config.settings import PartCondition

Clock = Callable[[], float]


class PluginFault(Exception):  # noqa: N818 (what a plug-in did, not what we did)
    """A plug-in raised, or took too long; its text says which and what."""


def call(
    title: str, function: Callable[..., Any], *args: Any, clock: Clock = time.perf_counter
) -> Any:
    """Calls a plug-in and returns its answer.

    Raises:
        PluginFault: It raised, or its answer came later than after LIMIT_S.
    """
    began = clock()
    try:
        answer = function(*args)
    except (Exception, SystemExit) as error:  # code of others: of any kind
        raise PluginFault(f'{title} failed ({fault(error)})') from None
    took = clock() - began
    if took > LIMIT_S:
        raise PluginFault(f'{title} took {took:.2f} s, over {LIMIT_S:g} s')
    return answer


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
    options = copied(condition.options)
    try:
        answer = call(f'The plug-in of guard {name}', guard, facts_of(view), options)
    except PluginFault as error:
        return refuses(name, f'{error}, so whether it allows the tool is not known')
    if answer is True:
        return allows(name, True)
    if answer is False:
        return refuses(name, condition.reason, False)
    if answer is None:
        reason = f'The plug-in of guard {name} says that it does not know'
        return refuses(name, reason, passing=True)
    return refuses(name, f'The plug-in of guard {name} says {answer!r:.60}, not True or False')


def contained_reducer(name: str, reducer: PluginReducer) -> Callable[[list[Any]], Any]:
    """Returns a function that makes one value of a list.

    It raises ValueError where the plug-in does not say one.
    """

    def reduced(values: list[Any]) -> Any:
        try:
            answer = call(f'reducer {name}', reducer, values)
        except PluginFault as error:
            raise ValueError(str(error)) from None
        if not isinstance(answer, (bool, int, float, str)):
            raise ValueError(f'reducer {name} says {answer!r:.60}, which is no value')
        return answer

    return reduced


def copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options or arguments that a plug-in may change without changing ours."""
    return deepcopy(dict(values))
