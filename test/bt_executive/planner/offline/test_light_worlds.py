"""The offline model in worlds it knows nothing of: it gets to the light or says truly why not."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planner_world import LightWorld, think_through
import pytest

from bt_executive.core.executive_ports import ToolOffer, ToolResult
from bt_executive.planner.offline.conversation_steps import PastStep
from bt_executive.planner.offline.picture_search import scores
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config

pytestmark = pytest.mark.long  # the sentence encoder
TEXTURE_GOAL = load_config().prompts.templates['demo_ground_texture'].text


def shipped_palette(variant: str) -> tuple[ToolOffer, ...]:
    return Registry(load_config(overrides=[f'executive.variant={variant}'])).toolset()


def test_the_shipped_run_learns_each_rule_from_one_refusal() -> None:
    world = LightWorld(x_good=8.0)
    think_through(TEXTURE_GOAL, world, shipped_palette('B'))
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


def test_variant_a_follows_the_loop_without_a_mast() -> None:
    world = LightWorld(mast=False)
    think_through(TEXTURE_GOAL, world, shipped_palette('A'))
    assert world.tools == [
        *('capture_and_score', 'mast_rotate', 'capture_and_score'),
        *('move_nudge', 'capture_and_score', 'move_nudge', 'capture_and_score'),
    ]


@pytest.mark.parametrize('variant', ['A', 'B'])
@pytest.mark.parametrize('x_good', [3.0, 8.0, 12.0])
@pytest.mark.parametrize('start', [-5.0, -2.5, 0.0, 2.0, 4.0])
def test_ends_bright_wherever_it_starts(variant: str, x_good: float, start: float) -> None:
    world = LightWorld(x=start, x_good=x_good, threshold=0.95, mast=variant == 'B')
    answer = think_through(TEXTURE_GOAL, world, shipped_palette(variant))
    assert world.score >= 0.95, answer
    assert world.tools[-1] == 'capture_and_score'
    assert 'abort' not in world.tools


def test_answers_with_what_the_picture_measured() -> None:
    world = LightWorld()
    answer = think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    japanese, english = answer.splitlines()
    assert english.startswith(f'The picture is good: score {world.score:.2f}, picture 4 ')
    assert japanese.startswith('良い画像')
    for fact in ('texture coarse', 'dominant colour rust red', 'contrast 31', 'rover x 4.85'):
        assert fact in english


@pytest.mark.parametrize('variant', ['A', 'B'])
def test_gives_up_truly_where_the_light_is_out_of_reach(variant: str) -> None:
    world = LightWorld(x_good=1000.0, mast=variant == 'B')
    answer = think_through('Find a bright place', world, shipped_palette(variant))
    assert answer.startswith('NOT REACHED: ')
    assert '10 drives were not enough; score 0.000 at first' in answer
    assert f'{world.score:.3f} at last' in answer
    assert world.tools.count('capture_and_score') == 12 + (variant == 'B')  # one was refused


@pytest.mark.long
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    x=st.floats(-6.0, 12.0),
    yaw=st.floats(-math.pi, math.pi),
    x_good=st.sampled_from([3.0, 5.0, 8.0, 12.0]),
    threshold=st.sampled_from([0.5, 0.8, 0.95]),
    mast_open=st.booleans(),
)
def test_any_heading_ends_bright_or_with_a_true_report(
    x: float, yaw: float, x_good: float, threshold: float, mast_open: bool
) -> None:
    world = LightWorld(x=x, yaw=yaw, x_good=x_good, threshold=threshold, mast_open=mast_open)
    answer = think_through('Find a bright place', world, shipped_palette('B'))
    assert answer.startswith('NOT REACHED: ') == (world.score < threshold)
    said = f'{world.score:.3f} at last' if world.score < threshold else f'{world.score:.2f}'
    assert said in answer
    assert len(world.refusals) <= 2
    assert world.tools.count('capture_and_score') <= 14


def test_driving_into_the_dark_is_given_up_soon() -> None:
    world = LightWorld(x=4.0, yaw=math.pi, x_good=8.0)
    answer = think_through('Find a bright place', world, shipped_palette('B'))
    assert 'driving ahead makes it darker' in answer
    assert world.tools.count('move_nudge') == 3  # one was refused


@pytest.mark.parametrize(
    'tool', ['capture_and_score', 'move_nudge', 'mast_open', 'mast_close', 'mast_rotate']
)
@pytest.mark.parametrize('count', [1, 3, 6])
def test_a_fault_that_passes_does_not_end_the_search(tool: str, count: int) -> None:
    world = LightWorld(faults={tool: ['Image is stale'] * count})
    think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.score >= 0.8
    assert tool == 'mast_rotate' or world.tools.count('wait') == count


class LateAnswers(LightWorld):
    """The mast moves, and each call of this tool fails for want of an answer."""

    late = ''

    def _run(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        result = super()._run(tool, arguments)
        return ToolResult(False, 'did not answer within 3 s') if tool == self.late else result


@pytest.mark.parametrize('tool', ['mast_open', 'mast_close'])
def test_what_was_carried_out_without_an_answer_is_not_asked_for_until_it_is_given_up(
    tool: str,
) -> None:
    world = LateAnswers(x_good=4.0)
    world.late = tool
    think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.score >= 0.8
    assert world.tools[-1] == 'capture_and_score'


def test_after_a_drive_that_failed_on_the_way_it_looks_from_there() -> None:
    class LateStarts(LightWorld):
        def _run(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
            before, result = self.x, super()._run(tool, arguments)
            if tool != 'move_nudge' or not result.ok:
                return result
            return ToolResult(False, 'did not answer', {'driven_m': abs(self.x - before)})

    world = LateStarts(x_good=4.0)
    think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.score >= 0.8
    assert 'wait' not in world.tools


@pytest.mark.parametrize('tool', ['capture_and_score', 'move_nudge', 'mast_open', 'mast_close'])
def test_a_fault_that_stays_is_the_reason_to_give_up(tool: str) -> None:
    world = LightWorld(faults={tool: ['Service not available'] * 1000})
    answer = think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    assert answer.startswith('NOT REACHED: ')
    assert f'{tool} failed 8 times in a row: “Service not available”' in answer


def test_a_guard_that_refuses_for_good_is_the_reason_at_once() -> None:
    world = LightWorld(x_good=9.0, zone_x=1.0)
    answer = think_through('Find a bright place', world, shipped_palette('B'))
    assert 'move_nudge failed: “Path comes too near”' in answer


def test_goes_on_without_a_sweep() -> None:
    world = LightWorld(faults={'mast_rotate': ['stuck'] * 1000})
    think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.score >= 0.8
    assert world.tools.count('mast_rotate') == 2


def test_stops_a_rover_that_still_moves_before_it_looks() -> None:
    world = LightWorld(faults={'capture_and_score': ['Move in progress']})
    think_through(TEXTURE_GOAL, world, shipped_palette('B'))
    assert world.tools[:3] == ['capture_and_score', 'move_stop', 'capture_and_score']
    assert 'move_stop' not in world.tools[3:]


def test_without_a_tool_to_move_it_says_so() -> None:
    offered = [each for each in shipped_palette('B') if each.name == 'capture_and_score']
    answer = think_through('Find a bright place', LightWorld(), tuple(offered))
    assert 'no tool for moving is offered' in answer


@pytest.mark.parametrize(
    'score', [None, 'high', float('nan'), True, [1], 10**400], ids=lambda each: f'{each!r:.9}'
)
def test_a_score_that_is_no_number_is_dark(score: Any) -> None:
    assert scores([PastStep('capture_and_score', {}, True, '', {'score': score})]) == [0.0]
