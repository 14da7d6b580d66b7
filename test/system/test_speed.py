"""Simulated time: the same commands lead to the same results as in real time, 20 times as fast.

With a goal of the planner and at other speeds: `python -m bench same_at_any_speed`.
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
    *('--set', 'rover.speed_factor=20'),
    # A busy machine draws few pictures and tells little: how old that is, is not looked at here.
    *('--set', 'simulator.image_max_age_s=60', '--set', 'guards.adapter_status_max_age_s=60'),
    *('--set', 'guards.adapter_status_moving_max_age_s=60'),
    *('--set', 'mast.joint_states_max_age_s=60', '--set', 'motion.pose_max_age_s=60'),
)
COMMANDS = ':cap\n:nudge\n:mast_close\n:nudge\n:mast_open\n:cap\n'
# In real time.
STEPS = [
    *((kind, 'capture_and_score', True) for kind in ('DECIDE', 'RESULT')),
    ('DECIDE', 'move_nudge', 'Need to close mast'),
    *((kind, 'mast_close', True) for kind in ('DECIDE', 'RESULT')),
    *((kind, 'move_nudge', True) for kind in ('DECIDE', 'RESULT')),
    *((kind, 'mast_open', True) for kind in ('DECIDE', 'RESULT')),
    *((kind, 'capture_and_score', True) for kind in ('DECIDE', 'RESULT')),
]
SCORES = [0.72, 1.0]
NUDGE_M = 2.426  # 5 s at 2 rad/s of wheels of 0.2426 m radius
TOLERANCE = 0.15  # of the way, as in `python -m bench same_at_any_speed`


def steps(run: Any) -> list[Any]:
    """What was decided and how it ended, in order."""
    told = [event for event in run.events() if event['kind'] in ('DECIDE', 'RESULT', 'ERROR')]
    return [
        (event['kind'], event['tool_name'], event.get('error_reason') or event.get('ok'))
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
        run = start('up', *OPTIONS)
        run.wait_for_rover()
        with spun_node('witness', run.domain) as node:
            wait_until_seen_to_stand(node)
        run.write(COMMANDS)
        run.process.stdin.close()
        run.finish()
        if not (pauses(run) or is_behind(run)):
            break
    assert run.process.returncode == 1, run.output
    assert steps(run) == STEPS
    before, after = pictures(run)
    assert after['stats']['rover_x'] - before['stats']['rover_x'] == pytest.approx(
        NUDGE_M, rel=TOLERANCE
    )
    scores = [picture['score'] for picture in (before, after)]
    assert scores == pytest.approx(SCORES, abs=0.1)
