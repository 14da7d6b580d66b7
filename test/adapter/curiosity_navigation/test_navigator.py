"""Whole drives of navigator and adapter, in time of our own: it arrives, or says why not."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial
from itertools import pairwise
import json
import math
import random
from typing import Any

import numpy as np
import pytest
from shares import share

from curiosity_navigation.collision_checker import Clearance, CollisionChecker
from curiosity_navigation.navigation_goal_progress import EndCode
from curiosity_navigation.path_planner import NavigationGoal, NoPath, Plan, make_plan
from curiosity_navigation.vehicle_model import VehicleModel
from rover_common.config.load import load_config
from rover_common.geometry.keep_out import read_zones
from rover_common.geometry.planar_motion import Pose2D
from rover_common.permit import NO_PERMIT, Heartbeat, Permit
from rover_common.setpoint import NAVIGATE

pytestmark = pytest.mark.long

CONFIG = load_config()
GAIT = VehicleModel.of(CONFIG.curiosity.navigation)
CLEARANCE_M = 0.05  # of the rover's rectangle from any rock, with all that is uncertain
CRATER = [[12.0, -4.0], [18.0, -4.0], [18.0, 4.0], [12.0, 4.0]]


def scattered(seed: int, count: int = 16) -> list[tuple[float, float, float]]:
    """Rocks on a plain of 50 m, none where the rover starts."""
    chance = random.Random(seed)
    rocks: list[tuple[float, float, float]] = []
    while len(rocks) < count:
        x, y, radius = chance.uniform(-25, 25), chance.uniform(-25, 25), chance.uniform(0.3, 1.2)
        if math.hypot(x, y) > radius + 4.0:
            rocks.append((x, y, radius))
    return rocks


def path_if_all_were_known(plain: Any, goal: NavigationGoal) -> Plan | NoPath:
    """The plan, with all the room wanted, of a rover that sees every side of every rock."""
    turns = np.linspace(0.0, math.tau, 30)
    rims = [
        np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], axis=1)
        for x, y, radius in plain.rocks
    ]
    here = Pose2D(plain.x, plain.y, plain.yaw)
    field = CollisionChecker(here, np.concatenate(rims), (), Clearance.of(CONFIG))
    obstruction = field.obstruction(goal.x, goal.y)
    return NoPath(obstruction) if obstruction else make_plan(here, goal, field, GAIT)


GOALS = 2  # of each seed; `python -m bench navigation` drives to 20 in each world


@pytest.mark.parametrize('seed', [1, 3, 2][: share(2, 3)])
def test_goals_are_reached_where_they_can_be(make_plain: Any, seed: int) -> None:
    rocks, chance = scattered(seed), random.Random(100 + seed)
    plain = make_plain(rocks)
    plain.habits.speed = chance.uniform(0.9, 1.05)
    plain.habits.radius = chance.uniform(0.97, 1.03)
    reached = possible = 0
    for _ in range(GOALS):
        x, y = chance.uniform(-20, 20), chance.uniform(-20, 20)
        reachable = isinstance(path_if_all_were_known(plain, NavigationGoal(x, y)), Plan)
        outcome = plain.go(x, y)
        assert not plain.rolling
        possible += reachable
        reached += reachable and outcome.code is EndCode.ARRIVED
        if outcome.code is EndCode.ARRIVED:
            assert math.hypot(plain.x - x, plain.y - y) <= 0.5
        elif not reachable:
            assert outcome.code in (EndCode.REJECTED, EndCode.BLOCKED)
        if outcome.code is EndCode.BLOCKED:  # from a dead end no goal can be reached any more
            plain.x = plain.y = plain.yaw = 0.0
    assert plain.nearest_rock() >= CLEARANCE_M
    assert possible >= GOALS // 2
    assert reached == possible
    assert plain.halts == []


def test_a_heading_is_kept(plain: Any) -> None:
    outcome = plain.go(12.0, 6.0, -2.0)
    assert outcome.code is EndCode.ARRIVED
    assert abs(math.remainder(plain.yaw + 2.0, math.tau)) <= 0.2
    assert outcome.distance <= 0.5


@pytest.mark.parametrize('radius', [0.85, 1.2])
def test_another_circle_than_in_the_book_is_made_up_for(make_plain: Any, radius: float) -> None:
    plain = make_plain([(14.0, 2.0, 1.0)])
    plain.habits.radius = radius
    assert plain.go(22.0, 9.0).code is EndCode.ARRIVED
    assert plain.nearest_rock() >= CLEARANCE_M


def test_a_slow_service_is_allowed_for(plain: Any) -> None:
    plain.habits.latency_s = 0.3
    assert plain.go(12.0, 5.0).code is EndCode.ARRIVED


def test_a_rock_that_comes_into_sight_is_passed(make_plain: Any) -> None:
    plain = make_plain([(26.0, 0.0, 1.0)], ('curiosity.navigation.scan.max_range_m=9.0',))
    assert plain.go(38.0, 0.0).code is EndCode.ARRIVED
    assert plain.asked.count('turn_left') + plain.asked.count('turn_right') >= 2
    assert plain.nearest_rock() >= CLEARANCE_M


def test_a_zone_of_the_configuration_is_passed(make_plain: Any) -> None:
    zone = {'name': 'crater', 'polygon': CRATER}
    plain = make_plain([], (f'executive.keep_out={json.dumps([zone])}',))
    assert plain.go(22.0, 0.0).code is EndCode.ARRIVED
    assert not any(11.0 < x < 19.0 and abs(y) < 5.0 for x, y, _ in plain.driven)
    rejected = plain.go(15.0, 0.0)
    assert rejected.code is EndCode.REJECTED
    assert rejected.message == "The goal is too near to keep-out zone 'crater'"


def go_past_a_zone_told_on_the_path(plain: Any) -> None:
    told = read_zones([('crater', [(x, y) for x, y in CRATER])])

    def tell() -> None:
        if plain.x > 3.0 and not plain.adapter.keep_out.zones:
            plain.adapter.keep_out.update(told)

    assert plain.go(22.0, 0.0, meanwhile=tell).code is EndCode.ARRIVED
    assert not any(11.0 < x < 19.0 and abs(y) < 5.0 for x, y, _ in plain.driven)


def test_a_zone_that_is_told_on_the_way_is_passed(plain: Any) -> None:
    go_past_a_zone_told_on_the_path(plain)


@pytest.mark.parametrize(
    ('settings', 'goal'),
    [
        ('navigation.tolerance_m=0.05', (0.08, 0.0)),
        ('navigation.tolerance_m=0.05', (10.0, 0.0)),
        ('navigation.heading_tolerance_rad=0.01', (0.0, 0.0, 0.012)),
    ],
)
def test_a_goal_that_is_nearer_than_the_shortest_motion_ends_with_a_reason(
    make_plain: Any, settings: str, goal: tuple[float, ...]
) -> None:
    limits = 'navigation.timeout_factor=1.0', 'navigation.timeout_slack_s=3.0'
    plain = make_plain([], (settings, *limits))
    outcome = plain.go(*goal)
    assert outcome.code in (EndCode.ARRIVED, EndCode.TIMED_OUT, EndCode.BLOCKED)
    assert not plain.rolling


def test_a_way_keeps_out_of_the_margin_in_which_every_motion_ends(make_plain: Any) -> None:
    beside = {'name': 'beside', 'polygon': [[12.0, 0.8], [18.0, 0.8], [18.0, 4.0], [12.0, 4.0]]}
    settings = f'executive.keep_out={json.dumps([beside])}', 'guards.keep_out_margin_m=0.5'
    plain = make_plain([], settings)
    assert plain.go(28.0, 0.0).code is EndCode.ARRIVED
    assert plain.halts == []
    rejected = plain.go(10.9, 2.0)  # 1.1 m from the zone
    assert rejected.message == "The goal is too near to keep-out zone 'beside'"


def test_a_zone_that_is_told_to_a_rover_without_rangefinder_is_passed(make_plain: Any) -> None:
    plain = make_plain([], ('curiosity.navigation.scan.required=false',))
    plain.habits.blind = True
    go_past_a_zone_told_on_the_path(plain)


def test_the_result_tells_of_a_stop_without_an_answer(plain: Any) -> None:
    def cancel() -> None:
        plain.cancelled = plain.x > 4.0
        plain.habits.mute = plain.x > 4.0

    outcome = plain.go(20.0, 0.0, meanwhile=cancel)
    assert outcome.code is EndCode.CANCELLED
    assert outcome.message == (
        "The goal was cancelled, but the stop was not confirmed: Rover service '/move_stop' did "
        'not answer within 3 s; it is asked again until it answers'
    )


def test_a_stop_without_an_answer_is_told_once(plain: Any) -> None:
    def fall_silent() -> None:
        plain.habits.mute = plain.x > 4.0

    outcome = plain.go(6.0, 0.0, meanwhile=fall_silent)
    assert outcome.code is EndCode.STOPPED
    assert outcome.message == (
        "Rover service '/move_stop' did not answer within 3 s; it is asked again until it answers"
    )


def test_a_rover_that_rolls_on_has_not_arrived(plain: Any) -> None:
    plain.habits.rolls_on = 0.5
    outcome = plain.go(5.0, 0.0)
    assert outcome.code is EndCode.STOPPED
    assert outcome.message.startswith('The rover does not come to rest')


def test_an_open_mast_rejects_the_goal_in_the_exact_words(plain: Any) -> None:
    plain.tilt = 0.0
    outcome = plain.go(10.0, 0.0)
    assert (outcome.code, outcome.message) == (EndCode.REJECTED, 'Need to close mast')
    assert plain.driven == []


@pytest.mark.parametrize(
    ('goal', 'said'),
    [
        ((math.nan, 0.0), 'not a place'),
        ((10.0, math.inf), 'not a place'),
        ((10.0, 0.0, 7.0), 'not within'),
        ((90.0, 90.0), 'm away'),
    ],
)
def test_useless_goals_are_rejected(plain: Any, goal: Any, said: str) -> None:
    outcome = plain.go(*goal)
    assert outcome.code is EndCode.REJECTED
    assert said in outcome.message


def test_without_a_scan_or_a_position_nothing_begins(plain: Any) -> None:
    plain.habits.blind = True
    outcome = plain.go(10.0, 0.0)
    assert outcome.code is EndCode.REJECTED
    assert 'no usable scan' in outcome.message
    plain.habits.blind, plain.habits.lost = False, True
    outcome = plain.go(10.0, 0.0)
    assert outcome.code is EndCode.REJECTED
    assert 'position is not known' in outcome.message


@pytest.mark.parametrize('habit', ['lost', 'blind'])
def test_senses_that_fail_on_the_way_stop_the_rover(plain: Any, habit: str) -> None:
    def fail() -> None:
        setattr(plain.habits, habit, plain.x > 3.0)

    outcome = plain.go(30.0, 0.0, meanwhile=fail)
    assert outcome.code is EndCode.STOPPED
    assert 'not known any more' in outcome.message
    assert not plain.rolling
    assert plain.x < 6.0


def test_a_goal_behind_rocks_all_around_is_blocked(make_plain: Any) -> None:
    turns = np.linspace(0.0, math.tau, 10, endpoint=False)  # 1.5 m between two rocks
    ring = [(20.0 + 5.0 * math.cos(a), 5.0 * math.sin(a), 0.8) for a in turns]
    plain = make_plain(ring)
    outcome = plain.go(20.0, 0.0)
    assert outcome.code in (EndCode.BLOCKED, EndCode.REJECTED)
    assert plain.nearest_rock() >= CLEARANCE_M if plain.driven else True


def test_a_rover_that_is_held_is_blocked(plain: Any) -> None:
    def hold() -> None:
        plain.habits.stuck = plain.x > 4.0

    outcome = plain.go(20.0, 0.0, meanwhile=hold)
    assert outcome.code is EndCode.BLOCKED
    assert 'has not moved for 4 s' in outcome.message
    assert not plain.rolling


def test_a_slope_that_is_too_steep_blocks_the_path(plain: Any) -> None:
    def lean() -> None:
        plain.habits.tilt = 0.7 if plain.x > 4.0 else 0.0

    outcome = plain.go(20.0, 0.0, meanwhile=lean)
    assert outcome.code is EndCode.BLOCKED
    assert 'the tilt is 0.70 rad' in outcome.message
    assert not plain.rolling


def test_a_rover_that_creeps_runs_out_of_time(make_plain: Any) -> None:
    plain = make_plain([], ('navigation.timeout_slack_s=3.0',))
    plain.habits.speed = 0.1
    outcome = plain.go(12.0, 0.0)
    assert outcome.code is EndCode.TIMED_OUT
    assert not plain.rolling


def test_a_cancelled_goal_stops_at_once(plain: Any) -> None:
    def cancel() -> None:
        plain.cancelled = plain.x > 4.0

    outcome = plain.go(20.0, 0.0, meanwhile=cancel)
    assert outcome.code is EndCode.CANCELLED
    assert plain.x < 4.5
    assert not plain.adapter.exclusivity.moving


def test_a_cancelled_goal_stops_at_once_although_the_start_is_not_answered_yet(plain: Any) -> None:
    plain.habits.late_s = 2.5

    def cancel() -> None:
        plain.cancelled = plain.x > 0.2

    outcome = plain.go(20.0, 0.0, meanwhile=cancel)
    assert outcome.code is EndCode.CANCELLED
    assert outcome.message == 'The goal was cancelled'
    assert plain.x < 0.7
    assert not plain.adapter.exclusivity.moving


def test_a_rock_that_comes_into_sight_before_the_start_is_answered_is_not_driven_into(
    make_plain: Any,
) -> None:
    plain = make_plain([])
    plain.habits.late_s = 2.5

    def fall() -> None:
        if plain.driven and not plain.rocks:
            plain.add_rock(2.6, 0.0, 0.6)

    assert plain.go(20.0, 0.0, meanwhile=fall).code is EndCode.BLOCKED
    assert plain.nearest_rock() >= CLEARANCE_M


def test_a_short_motion_ends_in_time_although_its_start_is_answered_late(plain: Any) -> None:
    plain.habits.late_s = 2.5
    assert plain.go(0.6, 0.0).code is EndCode.ARRIVED
    assert plain.x == pytest.approx(0.6, abs=0.15)


class Slow(Executor):
    """Plans by what is known when it is asked; the plan is there when `finish` was called."""

    def __init__(self) -> None:
        self.open: list[tuple[Future[Any], Any]] = []

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.open.append((future, work(*args, **kwargs)))
        return future

    def finish(self) -> None:
        for future, result in self.open:
            future.set_result(result)
        self.open.clear()


def test_a_path_that_what_is_seen_meanwhile_lies_on_is_not_begun(make_plain: Any) -> None:
    plain, slow = make_plain([]), Slow()
    plain.parts.navigator._planning = slow

    def plan() -> None:
        if slow.open and not plain.rocks:
            plain.add_rock(2.6, 0.0, 0.6)
        elif len(plain.parts.obstacle_monitor.costmap().obstacles):
            slow.finish()

    assert plain.go(20.0, 0.0, meanwhile=plan).code is EndCode.BLOCKED
    assert plain.asked.count('move_forward') == 0


def test_a_limit_on_the_way_stops_the_rover_with_its_reason(plain: Any) -> None:
    def drain() -> None:
        if plain.x > 4.0:
            plain.adapter.limits.update_battery(0.01)

    outcome = plain.go(20.0, 0.0, meanwhile=drain)
    assert outcome.code is EndCode.STOPPED
    assert 'the battery is at 1.0 %' in outcome.message
    assert not plain.rolling
    assert plain.x < 5.0


def test_an_adapter_that_falls_silent_ends_the_goal(plain: Any) -> None:
    def fall_silent() -> None:
        if plain.x > 3.0:
            plain.hear_adapter = lambda: None

    outcome = plain.go(20.0, 0.0, meanwhile=fall_silent)
    assert outcome.code is EndCode.STOPPED
    assert outcome.message.startswith('the adapter is silent')
    assert not plain.rolling
    assert plain.x < 5.0


def test_an_adapter_that_was_restarted_ends_the_goal(plain: Any) -> None:
    hear = plain.hear_adapter

    def hear_another_life() -> None:
        hear()
        status = plain.parts.adapter.status
        another = replace(status, run_id='next', answer=None, at_rest=not plain.rolling)
        plain.parts.adapter.update_status(another)

    def restart() -> None:
        if plain.x > 3.0:
            plain.hear_adapter = hear_another_life

    outcome = plain.go(20.0, 0.0, meanwhile=restart)
    assert outcome.code is EndCode.STOPPED
    assert outcome.message == 'the adapter was restarted; what it was doing is lost'
    assert plain.x < 5.0


def test_the_rover_is_driven_by_hand_after_an_executive_died_that_permitted_a_drive(
    plain: Any,
) -> None:
    plain.adapter.receive_heartbeat(Heartbeat('executive', 1, 0.0, Permit(NAVIGATE, 7)), 0.0)
    plain.now = 60.0
    assert plain.adapter.deadman.set_manual(True, plain.now) is None
    assert plain.go(6.0, 0.0).code is EndCode.ARRIVED


def send_heartbeats(plain: Any, silent_until: float, permits_from: float) -> None:
    """Sends a heartbeat, after a silence, with a permit from some time on."""
    if plain.now > silent_until:
        permit = Permit(NAVIGATE, 1) if plain.now > permits_from else NO_PERMIT
        heartbeat = Heartbeat('executive', round(plain.now * 100), plain.now, permit)
        plain.adapter.receive_heartbeat(heartbeat, plain.now)


@pytest.mark.parametrize(
    ('silent_until', 'permits_from'),  # the goal arrives at 1.0
    [
        pytest.param(1.25, 1.25, id='silent for less than a heartbeat may be old'),
        pytest.param(1.9, 1.9, id='silent for longer'),
        pytest.param(0.0, 1.9, id='heartbeats arrive, and the permit is late'),
    ],
)
def test_a_goal_waits_for_a_permit_that_is_late(
    make_plain: Any, silent_until: float, permits_from: float
) -> None:
    plain = make_plain([], ('curiosity.deadman.manual_mode=false',))
    send = partial(send_heartbeats, plain, silent_until, permits_from)
    assert plain.go(6.0, 0.0, meanwhile=send).code is EndCode.ARRIVED


def test_a_goal_that_is_cancelled_before_its_permit_uses_no_later_one(make_plain: Any) -> None:
    plain = make_plain([], ('curiosity.deadman.manual_mode=false',))

    def cancel_and_permit_another() -> None:
        plain.cancelled = plain.now > 1.5
        send_heartbeats(plain, 0.0, 1.5)

    outcome = plain.go(6.0, 0.0, meanwhile=cancel_and_permit_another)
    assert (outcome.code, outcome.message) == (EndCode.CANCELLED, 'The goal was cancelled')
    send_heartbeats(plain, 0.0, 1.5)
    assert plain.adapter.permission.refusal(NAVIGATE, plain.now) is None, 'it is not used'
    assert plain.driven == []


def test_a_goal_that_no_executive_permits_is_rejected(make_plain: Any) -> None:
    plain = make_plain([], ('curiosity.deadman.manual_mode=false',))
    outcome = plain.go(6.0, 0.0)
    assert outcome.code is EndCode.REJECTED
    assert 'No motion may begin' in outcome.message
    assert plain.driven == []


def test_no_motion_of_a_drive_is_longer_than_allowed(make_plain: Any) -> None:
    plain = make_plain([], ('curiosity.motion.longest_s=10.0',))
    assert plain.go(30.0, 0.0).code is EndCode.ARRIVED
    assert plain.asked.count('move_forward') >= 7
    assert plain.halts == []


def test_what_is_left_of_the_way_is_told(plain: Any) -> None:
    told: list[float] = []

    def note() -> None:
        progress = plain.parts.navigator.progress
        if progress:
            told.append(progress.distance_left)
            assert progress.time_left > 0.0 or progress.distance_left < 0.5

    plain.go(20.0, 0.0, meanwhile=note)
    assert told[0] == pytest.approx(20.0, abs=0.5)
    assert told[-1] < 0.5
    assert plain.parts.navigator.progress is None


def test_length_and_time_of_the_way_are_told_before_the_rover_is_asked_to_move(
    make_plain: Any,
) -> None:
    plain, told = make_plain(()), []
    navigator = plain.parts.navigator
    navigator._on_change = lambda: told.append(
        (navigator.progress, plain.asked.count('turn_left'))
    )
    assert plain.go(5.0, 8.0).code is EndCode.ARRIVED
    progress, asked = told[0]
    assert progress.distance_left > math.hypot(5.0, 8.0)
    assert progress.time_left > 0.0
    assert asked == 0


def test_a_path_is_known_before_it_is_driven_and_nothing_moves_for_it(make_plain: Any) -> None:
    zone = {'name': 'crater', 'polygon': CRATER}
    plain = make_plain([], (f'executive.keep_out={json.dumps([zone])}',))
    found = plain.preview(28.0, 0.0)
    assert {*plain.asked} <= {'move_stop'}
    assert not plain.driven
    points = [place.point for place in found.places]
    assert points[0] == (0.0, 0.0)
    assert math.dist(points[-1], (28.0, 0.0)) <= 0.5
    assert not any(11.0 < x < 19.0 and abs(y) < 5.0 for x, y in points)
    began = plain.now
    assert plain.go(28.0, 0.0).code is EndCode.ARRIVED
    driven = sum(math.dist(one[:2], other[:2]) for one, other in pairwise(plain.driven))
    assert driven == pytest.approx(found.plan.length, rel=0.1)
    assert plain.now - began == pytest.approx(found.plan.seconds, rel=0.2)


@pytest.mark.parametrize(
    ('goal', 'reason'),
    [
        ((15.0, 0.0), "The goal is too near to keep-out zone 'crater'"),
        ((500.0, 0.0), 'The goal is 500.0 m away, more than 100 m (navigation.farthest_m)'),
        ((math.nan, 0.0), 'The goal is not a place: x nan, y 0.0, heading 0.0'),
    ],
)
def test_why_there_is_no_path_is_known_beforehand(
    make_plain: Any, goal: tuple[float, float], reason: str
) -> None:
    zone = {'name': 'crater', 'polygon': CRATER}
    plain = make_plain([], (f'executive.keep_out={json.dumps([zone])}',))
    assert plain.preview(*goal).sentence == reason
    assert {*plain.asked} <= {'move_stop'}


@pytest.mark.parametrize('goal', [(0.0, 0.0), (0.3, 0.2), (-0.2, 0.0, 0.1)])
def test_the_path_to_where_the_rover_stands_has_no_length(
    plain: Any, goal: tuple[float, ...]
) -> None:
    found = plain.preview(*goal)
    assert (found.plan.length, found.plan.seconds) == (0.0, 0.0)
    assert [place.point for place in found.places] == [(0.0, 0.0)]
    assert plain.go(*goal).code is EndCode.ARRIVED
    assert not plain.driven


def test_a_drive_that_is_under_way_is_not_disturbed_by_a_question(plain: Any) -> None:
    answers: list[Any] = []

    def ask() -> None:
        if plain.x > 3.0 and not answers:
            answers.append(None)
            asked = asyncio.ensure_future(plain.parts.navigator.preview(NavigationGoal(5.0, 5.0)))
            asked.add_done_callback(lambda done: answers.append(done.result()))

    assert plain.go(12.0, 0.0, meanwhile=ask).code is EndCode.ARRIVED
    assert answers[1].sentence == 'Move in progress'
