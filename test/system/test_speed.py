"""Simulated time: the same commands lead to the same results, however fast time passes.

With a goal of the planner instead of commands: `python -m bench same_at_any_speed`.
"""

from __future__ import annotations

from typing import Any

from late_heartbeats import TRIES, pauses
import pytest
from seen_to_stand import wait_until_seen_to_stand
from spinning import spun_node

pytestmark = [pytest.mark.ros, pytest.mark.system]
# One nudge away from bright.
OPTIONS = (
    *('--set', 'rover.start.x=3.6', '--set', 'use_sim_time=true'),
    # A busy machine draws few pictures and tells little: how old that is, is not looked at here.
    *('--set', 'simulator.image_max_age_s=60', '--set', 'guards.adapter_status_max_age_s=60'),
    *('--set', 'guards.adapter_status_moving_max_age_s=60'),
    *('--set', 'mast.joint_states_max_age_s=60', '--set', 'motion.pose_max_age_s=60'),
)
COMMANDS = ':cap\n:nudge\n:mast_close\n:nudge\n:mast_open\n:cap\n'
NUDGE_M = 2.426  # 5 s at 2 rad/s of wheels of 0.2426 m radius
TOLERANCE = 0.15  # of the way, as in `python -m bench same_at_any_speed`


def done_at(start: Any, factor: int) -> Any:
    """The run of the commands, done while simulated time passes `factor` times as fast."""
    run = start('up', *OPTIONS, '--set', f'rover.speed_factor={factor}')
    run.wait_for_rover()
    with spun_node('witness', run.domain) as node:
        wait_until_seen_to_stand(node)
    run.write(COMMANDS)
    run.process.stdin.close()
    run.finish()
    return run


def steps(run: Any) -> list[Any]:
    """What was decided and how it ended, in order."""
    told = [event for event in run.events() if event['kind'] in ('DECIDE', 'RESULT', 'ERROR')]
    return [
        (event['kind'], event['tool_name'], event.get('ok'), event.get('error_reason'))
        for event in told
        if event.get('tool_name')
    ]


def pictures(run: Any) -> list[dict[str, Any]]:
    """What the simulator measured in each picture."""
    captures = run.events(kind='RESULT', tool_name='capture_and_score')
    return [event['data']['result'] for event in captures]


def is_behind(run: Any) -> bool:
    """Whether the last picture is of before the drive's end, as the simulator paused so long."""
    drives = run.events(kind='RESULT', tool_name='move_nudge')
    return any(pictures(run)[-1]['stamp'] < drive['ts'] for drive in drives)


def test_fast_time_leads_through_the_same_tools_to_the_same_results(start: Any) -> None:
    for _ in range(TRIES):
        runs = [done_at(start, factor) for factor in (20, 8)]
        if not any(pauses(run) or is_behind(run) for run in runs):
            break
    fast, slow = runs
    assert [run.process.returncode for run in runs] == [1, 1], fast.output + slow.output
    assert steps(fast) == steps(slow)
    assert [reason for *_, reason in steps(slow) if reason] == ['Need to close mast']
    for run in runs:
        before, after = (picture['stats']['rover_x'] for picture in pictures(run))
        assert after - before == pytest.approx(NUDGE_M, rel=TOLERANCE)
    for at_speed, in_time in zip(pictures(fast), pictures(slow), strict=True):
        assert at_speed['score'] == pytest.approx(in_time['score'], abs=0.1)
