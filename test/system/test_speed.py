"""Simulated time: the same goal leads through the same tools, however fast time passes."""

from __future__ import annotations

from typing import Any

from late_beats import TRIES, late_beats
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.system]
# One nudge away from bright.
OPTIONS = (
    *('--set', 'rover.start.x=3.6', '--set', 'use_sim_time=true'),
    # A busy machine draws few pictures: how old they are is not looked at here.
    *('--set', 'simulator.image_max_age_s=60'),
)
TOLERANCE = 0.15  # of the way, as in `python -m bench same_at_any_speed`


def steps(run: Any) -> list[Any]:
    """What was decided and how it ended, in order, without what waiting for the start took."""
    kinds = ('DECIDE', 'RESULT', 'ERROR')
    told = [event for event in run.events() if event['kind'] in kinds and event.get('tool_name')]
    return [
        (event['kind'], event['tool_name'], event.get('ok'), event.get('error_reason'))
        for event in told
    ]


def test_fast_time_leads_through_the_same_tools_to_the_same_results(start: Any) -> None:
    for _ in range(TRIES):
        slow, fast = (
            start('demo', *OPTIONS, '--set', f'rover.speed_factor={factor}') for factor in (4, 20)
        )
        for run in (fast, slow):
            assert run.finish() == 0, run.output
        if not late_beats(fast) + late_beats(slow):
            break
    assert steps(fast) == steps(slow)
    assert fast.summary['last_score'] == pytest.approx(slow.summary['last_score'], abs=0.1)
    assert fast.summary['distance_m'] == pytest.approx(slow.summary['distance_m'], rel=TOLERANCE)
