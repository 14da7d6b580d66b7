"""Goals that name a place, and ways round what is in the way of a search for light."""

from __future__ import annotations

import pytest

from bt_executive.brain import INTERRUPTED
from bt_executive.config import load_config
from bt_executive.planner.offline.intent import understand
from bt_executive.skills.registry import Registry


@pytest.fixture
def palette():
    return Registry(load_config()).palette()


@pytest.mark.parametrize(
    ('goal', 'kind', 'place'),
    [
        ('go to x 5 y 3', 'place', (5.0, 3.0)),
        ('Move to x=-1.5 m, y = -2', 'place', (-1.5, -2.0)),
        ('drive to (4, -2) and take a picture', 'picture', (4.0, -2.0)),
        ('Drive to x: 3.5, y: -2.25 and analyze the ground texture', 'light', (3.5, -2.25)),
        ('x 5 y 3 へ行って', 'place', (5.0, 3.0)),
        ('座標（5、−3）に移動して写真を撮って', 'picture', (5.0, -3.0)),
        ('前往 (3, 4)', 'place', (3.0, 4.0)),
        ('do not go to (4, 2)', 'unknown', None),
        ('what is at (4, 2)', 'unknown', None),
        ('drive forward', 'commands', None),
    ],
)
def test_a_place_is_read_from_its_coordinates(goal, kind, place):
    intent = understand(goal)
    assert (intent.kind, intent.place) == (kind, place)


@pytest.mark.parametrize('goal', ['go to x 5 y 3', 'x 5 y 3 へ行って'])
def test_it_drives_there_and_says_how_near_it_came(goal, light_world, think, palette):
    world = light_world()
    answer = think(goal, world, palette)
    assert world.tools == ['navigate_to', 'mast_close', 'navigate_to']
    assert (world.x, world.y) == (5.0, 3.0)
    assert '0.12 m' in answer


def test_the_picture_is_taken_there(light_world, think, palette):
    world = light_world(mast_open=False)
    answer = think('drive to (4, -2) and take a picture', world, palette)
    assert world.tools == ['navigate_to', 'capture_and_score', 'mast_open', 'capture_and_score']
    assert (world.x, world.y) == (4.0, -2.0)
    assert 'score 0.80' in answer


def test_a_place_that_cannot_be_reached_is_given_up_with_the_reason(light_world, think, palette):
    world = light_world(mast_open=False, faults={'navigate_to': ['There is no way'] * 9})
    answer = think('go to (4, -2)', world, palette)
    assert world.tools == ['navigate_to', 'navigate_to', 'abort']
    assert 'cannot get to x 4 m, y -2 m: "There is no way"' in answer


def test_a_drive_that_was_interrupted_often_still_comes_there(light_world, think, palette):
    paused = [INTERRUPTED.error_reason] * 9
    world = light_world(mast_open=False, faults={'navigate_to': paused})
    think('go to (4, -2)', world, palette)
    assert (world.x, world.y) == (4.0, -2.0)


def test_without_the_tool_nothing_moves_and_it_is_not_reached(light_world, think, palette):
    offered = tuple(offer for offer in palette if offer.name != 'navigate_to')
    world = light_world()
    think('drive to (4, -2) and take a picture', world, offered)
    assert world.tools == ['abort']


@pytest.mark.parametrize('obstacle', [{'wall_x': 3.0}, {'zone_x': 3.0}])
def test_what_is_in_the_way_of_the_light_is_gone_round(obstacle, light_world, think, palette):
    world = light_world(x_good=7.0, **obstacle)
    answer = think('find a bright place', world, palette)
    assert 'navigate_to' in world.tools
    assert world.score >= 0.8
    assert 'good' in answer


def test_where_there_is_no_way_round_it_says_so(light_world, think, palette):
    world = light_world(
        x_good=9.0, wall_x=1.0, faults={'navigate_to': ['The rover turns too widely'] * 9}
    )
    answer = think('find a bright place', world, palette)
    assert world.tools[-1] == 'abort'
    assert world.tools.count('navigate_to') <= 4
    assert 'something holds it' in answer
    assert 'The rover turns too widely' in answer
