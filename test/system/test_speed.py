"""Simulated time: the same goal leads through the same tools, however fast time passes."""

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.system, pytest.mark.timed]
# One nudge away from bright.
OPTIONS = ('--set', 'rover.start.x=3.6', '--set', 'use_sim_time=true')
# How much a drive of 2.4 m may differ: a stop needs milliseconds of real time to the rover, and
# on a busy machine tens of them. `python -m bench same_at_any_speed` is stricter.
TOLERANCE = {4: 0.2, 20: 0.5}


def steps(run):
    """What was decided and how it ended, in order, without what waiting for the start took."""
    kinds = ('DECIDE', 'RESULT', 'ERROR')
    told = [event for event in run.events() if event['kind'] in kinds and event.get('tool_name')]
    return [
        (event['kind'], event['tool_name'], event.get('ok'), event.get('error_reason'))
        for event in told
    ]


def test_fast_time_leads_through_the_same_tools_to_the_same_results(start):
    slow = start('demo', *OPTIONS)  # waits most of the time, so the first of the others may begin
    for speed, tolerance in TOLERANCE.items():
        fast = start('demo', *OPTIONS, '--set', f'rover.speed_factor={speed}')
        for run in (fast, slow):
            assert run.finish() == 0, run.output
        assert steps(fast) == steps(slow)
        assert fast.summary['last_score'] == pytest.approx(slow.summary['last_score'], abs=0.1)
        assert fast.summary['distance_m'] == pytest.approx(
            slow.summary['distance_m'], rel=tolerance
        )
        assert fast.summary['wall_s'] < slow.summary['wall_s']
