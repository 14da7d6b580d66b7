"""The offline model in worlds it knows nothing of: it gets to the light or says truly why not."""

from __future__ import annotations

import itertools
import math
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import pytest

from bt_executive.config import load_config
from bt_executive.skills.registry import Registry

TEXTURE_GOAL = load_config().prompts.templates['demo_ground_texture'].text


def shipped_palette(variant: str):
    return Registry(load_config(overrides=[f'executive.variant={variant}'])).palette()


def test_the_shipped_run_learns_each_rule_from_one_refusal(light_world, think):
    world = light_world(x_good=8.0)
    think(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.refusals == [
        ('move_nudge', 'Need to close mast'),
        ('capture_and_score', 'Mast is closed'),
    ]
    cycle = ['mast_close', 'move_nudge', 'mast_open', 'capture_and_score']
    assert world.tools == [
        *('capture_and_score', 'mast_rotate', 'capture_and_score', 'move_nudge'),
        *('mast_close', 'move_nudge', 'capture_and_score', 'mast_open', 'capture_and_score'),
        *(2 * cycle),
    ]


def test_variant_a_follows_the_loop_without_a_mast(light_world, think):
    world = light_world(mast=False)
    think(TEXTURE_GOAL, world, shipped_palette('A'))
    assert world.tools == [
        *('capture_and_score', 'mast_rotate', 'capture_and_score'),
        *('move_nudge', 'capture_and_score', 'move_nudge', 'capture_and_score'),
    ]


@pytest.mark.parametrize('variant', ['A', 'B'])
@pytest.mark.parametrize('x_good', [3.0, 8.0, 12.0])
@pytest.mark.parametrize('start', [-5.0, -2.5, 0.0, 2.0, 4.0])
@pytest.mark.parametrize('places', [True, False], ids=['placed', 'unplaced'])
def test_ends_bright_wherever_it_starts(light_world, think, variant, x_good, start, places):
    world = light_world(x=start, x_good=x_good, threshold=0.95, mast=variant == 'B', places=places)
    answer = think(TEXTURE_GOAL, world, shipped_palette(variant))
    assert world.score >= 0.95, answer
    assert world.tools[-1] == 'capture_and_score'
    assert 'abort' not in world.tools


def test_answers_with_what_the_picture_measured(light_world, think):
    world = light_world()
    answer = think(TEXTURE_GOAL, world, shipped_palette('B'))
    assert 'The ground has a coarse texture, mostly rust red.' in answer
    assert '地面のテクスチャは粗い' in answer
    assert 'contrast 31' in answer
    assert f'{world.score:.2f}' in answer
    assert f'x {world.x:.1f} m' in answer


@pytest.mark.parametrize('variant', ['A', 'B'])
def test_gives_up_truly_where_the_light_is_out_of_reach(light_world, think, variant):
    world = light_world(x_good=1000.0, mast=variant == 'B')
    answer = think('Find a bright place', world, shipped_palette(variant))
    assert world.tools[-1] == 'abort'
    reason = world.log[-1][1]['reason']
    assert reason in answer
    assert 'Score 0.000 at first' in reason
    assert f'{world.score:.3f} at last' in reason
    assert f'x {world.x:.1f} m' in reason
    needed = re.search(r'about (\d+) m on', reason)
    assert needed
    assert abs(float(needed.group(1)) - (1000.0 - world.x)) < 10.0
    assert world.tools.count('capture_and_score') <= 25


def test_without_abort_it_says_so_in_the_answer(light_world, think):
    palette = tuple(offer for offer in shipped_palette('B') if offer.name != 'abort')
    answer = think('Find a bright place', light_world(x_good=1000.0), palette)
    assert answer.startswith('I did not reach the goal.')


@pytest.mark.long
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    x=st.floats(-6.0, 12.0),
    yaw=st.floats(-math.pi, math.pi),
    x_good=st.sampled_from([3.0, 5.0, 8.0, 12.0]),
    threshold=st.sampled_from([0.5, 0.8, 0.95]),
    places=st.booleans(),
    mast_open=st.booleans(),
)
def test_any_heading_ends_bright_or_with_a_true_report(
    light_world, think, x, yaw, x_good, threshold, places, mast_open
):
    world = light_world(
        x=x, yaw=yaw, x_good=x_good, threshold=threshold, places=places, mast_open=mast_open
    )
    answer = think('Find a bright place', world, shipped_palette('B'))
    if world.score >= threshold:
        assert 'good' in answer
    else:
        assert world.tools[-1] == 'abort'
        assert f'{world.score:.3f} at last' in world.log[-1][1]['reason']
    assert len(world.refusals) <= 2
    assert world.tools.count('capture_and_score') <= 26
    assert not any(one == other == 'get_status' for one, other in itertools.pairwise(world.tools))


@pytest.mark.parametrize('yaw', [math.pi, 2.5, -2.5, 2.0, -2.0, 1.0])
@pytest.mark.parametrize('start', [-2.0, 0.0, 2.0])
def test_turns_towards_a_light_behind_it(light_world, think, yaw, start):
    world = light_world(x=start, yaw=yaw, x_good=8.0)
    answer = think('Find a bright place', world, shipped_palette('B'))
    assert world.score >= 0.8, answer


def test_turns_even_without_any_pose(light_world, think):
    world = light_world(x=2.0, yaw=math.pi, x_good=8.0, poses=False, places=False)
    answer = think('Find a bright place', world, shipped_palette('B'))
    assert world.score >= 0.8 or world.tools[-1] == 'abort', answer


def test_says_that_it_cannot_turn_if_it_cannot(light_world, think):
    world = light_world(x=4.0, yaw=math.pi, x_good=8.0, mast=False)
    answer = think('Find a bright place', world, shipped_palette('A'))
    assert 'no tool for turning' in answer


@pytest.mark.parametrize(
    'tool', ['capture_and_score', 'move_nudge', 'mast_open', 'mast_close', 'mast_rotate']
)
@pytest.mark.parametrize('count', [1, 3, 6])
def test_a_fault_that_passes_does_not_end_the_search(light_world, think, tool, count):
    world = light_world(faults={tool: ['Image is stale'] * count})
    think(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.score >= 0.8


@pytest.mark.parametrize('tool', ['capture_and_score', 'move_nudge', 'mast_open', 'mast_close'])
def test_a_fault_that_stays_is_the_reason_to_give_up(light_world, think, tool):
    world = light_world(faults={tool: ['Service not available'] * 1000})
    answer = think(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.tools[-1] == 'abort'
    assert f'{tool} failed 8 times in a row, at last with "Service not available".' in answer


def test_goes_on_without_status_and_rotation(light_world, think):
    faults = {'get_status': ['down'] * 1000, 'mast_rotate': ['stuck'] * 1000}
    world = light_world(x=-3.0, x_good=8.0, places=False, faults=faults)
    think(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.score >= 0.8
    assert world.tools.count('mast_rotate') <= 2


def test_stops_a_rover_that_still_moves_before_it_looks(light_world, think):
    world = light_world(faults={'capture_and_score': ['Move in progress']})
    think(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.tools[:3] == ['capture_and_score', 'move_stop', 'capture_and_score']
