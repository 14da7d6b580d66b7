"""Simulated time: the same goal leads through the same tools, however fast time passes."""

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.system]
# One nudge away from bright; the limit for the adapter's silence is one of processes, which need
# as long as ever, but counts in simulated seconds.
OPTIONS = (
    *('--set', 'rover.start.x=3.6'),
    *('--set', 'use_sim_time=true'),
    *('--set', 'guards.adapter_status_max_age_s=20'),
)


def steps(run):
    """What was decided and how it ended, in order, without what waiting for the start took."""
    kinds = ('DECIDE', 'RESULT', 'ERROR')
    told = [event for event in run.events() if event['kind'] in kinds and event.get('tool_name')]
    return [
        (event['kind'], event['tool_name'], event.get('ok'), event.get('error_reason'))
        for event in told
    ]


def test_four_times_as_fast_the_same_tools_run_with_the_same_results(start):
    slow = start('demo', *OPTIONS)
    assert slow.finish(120) == 0, slow.output
    fast = start('demo', *OPTIONS, '--set', 'rover.speed_factor=4')
    assert fast.finish(120) == 0, fast.output
    assert steps(fast) == steps(slow)
    assert fast.summary['distance_m'] == pytest.approx(slow.summary['distance_m'], rel=0.25)
