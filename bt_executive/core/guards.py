"""The guards (preconditions) of every robot, and those that robot.yaml has on the robot's parts.

Pure functions of the frozen state. `Move in progress` is an exact string of specs 1 and 2. What is
not known is refused, and so is a value of another type than configured.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
import math
from types import MappingProxyType
from typing import Any

from bt_executive.core.guard_view_and_verdict import GuardReading, GuardView, allows, refuses
from bt_executive.core.modes import holds_back
from bt_executive.core.reading_ages import is_reporting
from bt_executive.core.robot_state import Parts
from bt_executive.core.state import Mode
from rover_common.adapter_status import MOVE_IN_PROGRESS
from rover_common.config.settings import Bounds, PartCondition, PartType, PartValue, Robot, Variant
from rover_common.config.settings.state_and_guards import ANY, Where
from rover_common.geometry.keep_out import Path, ZoneAreas
from rover_common.geometry.planar_motion import path_of_motion
from rover_common.state_values import is_valid_value


def read_condition(
    name: str,
    condition: PartCondition,
    types: Mapping[str, PartType],
    parts: Parts,
    why_unknown: Mapping[str, str] = MappingProxyType({}),
) -> GuardReading:
    """Evaluate a condition on the parts. It refuses while one of its fields is unknown.

    `why_unknown`: field → why it is unknown, where there is a reason.
    """

    def all_hold(where: Where) -> bool | None:
        return _all(judge(parts.get(part), types[part], wanted) for part, wanted in where.items())

    rules = [all_hold(condition.where)]
    if condition.any_of:
        rules.append(_any(all_hold(group) for group in condition.any_of))
    if condition.but_not:
        excluded = all_hold(condition.but_not)
        rules.append(None if excluded is None else not excluded)
    verdict = _all(rules)
    if verdict is False:
        return refuses(name, condition.reason, _first_refused(condition, types, parts))
    if verdict is None:
        reason = condition.unknown or _unknown(condition, types, parts, why_unknown)
        return refuses(name, reason, passing=True)
    return allows(name, parts.get(next(iter(condition.fields))))


def _first_refused(
    condition: PartCondition, types: Mapping[str, PartType], parts: Parts
) -> PartValue | None:
    """Return the value of the first field that does not hold, else of the first field."""
    where = condition.where.items()
    refused = (
        each for each, wanted in where if judge(parts.get(each), types[each], wanted) is False
    )
    return parts.get(next(refused, next(iter(condition.fields))))


def _unknown(
    condition: PartCondition, types: Mapping[str, PartType], parts: Parts, why: Mapping[str, str]
) -> str:
    clauses = (condition.where, *condition.any_of, condition.but_not)
    field = next(
        name
        for where in clauses
        for name, wanted in where.items()
        if judge(parts.get(name), types[name], wanted) is None
    )
    if field in why:
        return f'{field} is not known: {why[field]}'
    if types[field] == ANY and parts.get(field) is not None:
        return f'{field} is not known: {_quoted(parts[field])} cannot be compared'
    return f'{field} is not known'


def _quoted(value: Any) -> str:
    return f'the text {value!r:.60}' if isinstance(value, str) else f'{value!r:.60}'


def _all(rules: Iterable[bool | None]) -> bool | None:
    """Return whether all hold; None: not known."""
    results = list(rules)
    return False if False in results else None if None in results else True


def _any(rules: Iterable[bool | None]) -> bool | None:
    results = list(rules)
    return True if True in results else None if None in results else False


def holds(
    where: Mapping[str, tuple[PartValue, ...] | Bounds],
    types: Mapping[str, PartType],
    parts: Parts,
) -> bool:
    """Return whether every field is known and has a wanted value."""
    return all(judge(parts.get(each), types[each], wanted) for each, wanted in where.items())


def judge(
    value: PartValue | None, kind: PartType, wanted: tuple[PartValue, ...] | Bounds
) -> bool | None:
    """Return whether a value is wanted; None: not known.

    A value of a topic has any type; one that cannot be compared with the wanted ones is unknown.
    """
    if value is None or not is_valid_value(value, kind):
        return None
    if kind == ANY and not any(_kind_of(value) is each for each in _kinds(wanted)):
        return None
    return fits(value, wanted)


def _kinds(wanted: tuple[PartValue, ...] | Bounds) -> set[type]:
    return {float} if isinstance(wanted, Bounds) else {_kind_of(each) for each in wanted}


def _kind_of(value: PartValue) -> type:
    return float if type(value) is int else type(value)


def fits(value: PartValue, wanted: tuple[PartValue, ...] | Bounds) -> bool:
    """Return whether a known value is one of the wanted ones, or within the bounds."""
    if isinstance(wanted, tuple):
        return any(value == each and _kind_of(value) is _kind_of(each) for each in wanted)
    if isinstance(value, (bool, str)):
        return False
    low = -math.inf if wanted.at_least is None else wanted.at_least
    high = math.inf if wanted.at_most is None else wanted.at_most
    return low <= value <= high


def question_of(name: str) -> str:
    """Return the name of a condition's behaviour: `door_closed` is `Door closed?`."""
    return f'{name.replace("_", " ").capitalize()}?'


def zone_on_path(path: Path, zones: ZoneAreas, margin_m: float) -> str | None:
    """Return the first zone that the path touches or passes nearer than the margin; None: none.

    A path that cannot be measured counts as too near.
    """
    return next((zones.names[number] for number in zones.near(path, margin_m)), None)


KNOWN_PLACE, STANDING_STILL = 'known_place', 'standing_still'


@dataclass(frozen=True)
class Precondition:
    """A named condition; `question` is its name in the tree."""

    name: str
    question: str
    read: Callable[[GuardView], GuardReading]
    asks_arguments: bool = False  # it may read those of the tool


def _mode_allows(view: GuardView) -> GuardReading:
    tasks = view.state.tasks
    mode, active = tasks.mode, tasks.active
    to_charge = view.charges and active is not None and not holds_back(view.state, active)
    if mode is Mode.EXEC or (mode is Mode.CHARGE and to_charge):
        return allows('mode_allows', mode.value)
    return refuses('mode_allows', f'No tool runs in mode {mode.value}', mode.value)


def _adapter_alive(view: GuardView) -> GuardReading:
    seen_at = view.state.robot.status_at
    if seen_at is None:
        return refuses('adapter_alive', 'No status from the adapter yet', passing=True)
    age, guards = round(view.age(seen_at), 2), view.settings.guards
    permitted_at = view.permitted_at if view.running else None
    is_young = age <= guards.adapter_status_max_age_s
    if is_young and is_reporting(seen_at, permitted_at, view.now, guards):
        return allows('adapter_alive', age)
    reason = f'No status from the adapter for {age:.1f} s'
    return refuses('adapter_alive', reason, age, passing=True)


def _data_fresh(view: GuardView) -> GuardReading:
    """Refuse until all required data has arrived; data that becomes stale makes SAFE."""
    robot = view.state.robot
    seen = {'battery': robot.battery_at, 'tf': robot.pose_at}
    missing: list[str] = [name for name in view.settings.safety.required if seen[name] is None]
    missing += robot.awaited
    if not missing:
        return allows('data_fresh', missing)
    return refuses('data_fresh', f'No data yet: {", ".join(missing)}', missing, passing=True)


def _within_budget(view: GuardView) -> GuardReading:
    """Refuse when a budget is used up; that of distance, only tools that drive."""
    settings, used = view.settings, view.usage
    goal = settings.goal
    budgets = (
        ('tool calls', used.steps, settings.agent.max_iterations, ''),
        ('distance', used.distance_m, goal.max_distance_m, ' m'),
        ('energy', used.energy_pct, goal.max_energy_pct, ' %'),
        ('time', used.elapsed_s, goal.max_wall_s, ' s'),
    )
    for name, spent, limit, unit in budgets:
        if spent >= limit and (name != 'distance' or view.drives):
            reason = f'Budget of {name} is used up: {spent:.4g} of {limit:g}{unit}'
            return refuses('within_budget', reason, name)
    return allows('within_budget')


def not_settled(name: str, view: GuardView) -> GuardReading | None:
    """Refuse to begin before a status that is younger than the end of the previous tool."""
    if view.settled or view.running:
        return None
    reason = 'No status from the adapter since the last tool ended'
    return refuses(name, reason, passing=True)


def standing_still(view: GuardView) -> GuardReading:
    """Allow if the robot stands, or if the motion is the tool's own."""
    own_motion = view.holders.get('base') == view.call_id
    robot = view.state.robot
    measured = robot.stands_at(view.gate, view.moved_gates)
    stands = False if robot.stopping else measured
    seen = None if stands is None else 'stands' if stands else 'moves'
    outdated = None if own_motion else not_settled(STANDING_STILL, view)
    if outdated is not None:
        return outdated
    if own_motion or stands:
        return allows(STANDING_STILL, 'its own motion' if seen == 'moves' else seen)
    if measured is None and robot.standing_unknown:
        return refuses(STANDING_STILL, robot.standing_unknown, 'not known', passing=True)
    rolls_on = robot.moving is False  # the adapter stops it
    passing = robot.stopping or rolls_on
    return refuses(STANDING_STILL, MOVE_IN_PROGRESS, seen, passing=passing)


def _outside_keep_out(view: GuardView) -> GuardReading:
    """Refuse a path or a destination that is too near to a keep-out zone."""
    guard = 'outside_keep_out'
    robot, motion, settings = view.state.robot, view.motion, view.settings
    margin, max_age = settings.guards.keep_out_margin_m, settings.guards.pose_max_age_s
    zones = view.keep_out
    if zones and view.destination is not None:
        zone = zone_on_path([view.destination], zones, margin)
        reason = f'The destination is too near to keep-out zone {zone!r}'
        return allows(guard) if zone is None else refuses(guard, reason, zone)
    if not zones or motion is None:
        return allows(guard)
    if robot.pose_at is None or view.age(robot.pose_at) > max_age:
        reason = 'Position is not known, and there are keep-out zones'
        return refuses(guard, reason, passing=True)
    points = path_of_motion(robot.pose.planar, motion.speed_m_s, motion.radius_m, motion.seconds)
    zone = zone_on_path(points, zones, margin)
    reason = f'Path comes too near to keep-out zone {zone!r}'
    return allows(guard) if zone is None else refuses(guard, reason, zone)


def _known_place(view: GuardView) -> GuardReading:
    """Refuse a destination of unknown origin to a planner that may have read it somewhere."""
    guard, places, destination = KNOWN_PLACE, view.places, view.destination
    if destination is None or not places.restricts(view.settings.guards.places):
        return allows(guard)
    origin = places.origin(destination)
    if origin is not None:
        return allows(guard, origin)
    x, y = destination
    reason = (
        f'Nobody named the place x {x:.6g}, y {y:.6g}: drive to what the operator said '
        'or to a remembered place'
    )
    if places.before_restart:
        reason += ' (the planner may have read of it before the executive was restarted)'
    return refuses(guard, reason, [x, y])


def _parts_allow(
    name: str, condition: PartCondition, of_robot: Robot, view: GuardView
) -> GuardReading:
    if view.is_past(condition):
        return allows(name)
    fields, robot = condition.fields.keys(), view.state.robot
    outdated = _not_received_since(name, fields & of_robot.from_topics.keys(), view)
    if outdated is None and fields - of_robot.from_topics.keys():
        outdated = not_settled(name, view)
    return outdated or read_condition(
        name, condition, of_robot.types, robot.parts, robot.parts_unknown
    )


def _not_received_since(
    name: str, fields: Collection[str], view: GuardView
) -> GuardReading | None:
    """Refuse to begin before values of topics that are younger than the previous tool's end."""
    received = view.state.robot.parts_at
    old = sorted(each for each in fields if received.get(each, math.inf) <= view.changed_at)
    if not old or view.running:
        return None
    return refuses(name, f'No value of {old[0]} since the last tool ended', passing=True)


ALWAYS_ASKED = (
    Precondition('mode_allows', 'Mode allows it?', _mode_allows),
    Precondition('data_fresh', 'Required data fresh?', _data_fresh),
    Precondition('within_budget', 'Within budget?', _within_budget),
)
_BY_SKILL = (
    Precondition('adapter_alive', 'Adapter alive?', _adapter_alive),
    Precondition(STANDING_STILL, 'Standing still?', standing_still),
    Precondition('outside_keep_out', 'Path clear of keep-out?', _outside_keep_out),
    Precondition(KNOWN_PLACE, 'Place known?', _known_place),
)
BUILT_IN: Mapping[str, Precondition] = {each.name: each for each in (*ALWAYS_ASKED, *_BY_SKILL)}


def preconditions_without_plugins(variant: Variant, robot: Robot) -> dict[str, Precondition]:
    """Return the preconditions of a variant without those of plug-ins, by name."""
    on_parts = {
        name: Precondition(name, question_of(name), partial(_parts_allow, name, condition, robot))
        for name, condition in robot.guards.items()
        if variant in condition.variants and not condition.plugin
    }
    return {**on_parts, **BUILT_IN}
