"""kill -9 of one process while the system works: it is said, the rover stands, work goes on."""

from contextlib import contextmanager
import time

from geometry_msgs.msg import Twist
import pytest
from spinning import spun_node

from bt_executive.report.goals import tell_goals
from bt_executive.report.reading import read_recording

pytestmark = [pytest.mark.ros, pytest.mark.system, pytest.mark.timed]
STOP_LIMIT_S = 0.5 + 0.2  # the promise, one period of the republished command, and this observer


@contextmanager
def wheels(domain):
    """Commands to the wheels as (steady time, speed), seen from outside."""
    seen = []
    with spun_node('observer', domain) as node:
        node.create_subscription(
            Twist, 'cmd_vel', lambda twist: seen.append((time.monotonic(), twist.linear.x)), 10
        )
        yield seen


def test_the_executive_dies_while_the_rover_drives(start, wait_until):
    run = start('up', '--set', 'move.nudge_duration_sec=20.0')
    with wheels(run.domain) as commands:
        run.write(':mast_close\n:nudge\n:cap\n:quit\n')
        run.wait_for_event(kind='ACT', tool_name='move_nudge')
        wait_until(lambda: commands and commands[-1][1] > 0, 60, 'the rover drives')
        killed = time.monotonic()
        run.kill('executive_node')
        wait_until(lambda: commands[-1][1] == 0, 5, 'the rover was stopped')
        stopped = next(at for at, speed in commands if at > killed and speed == 0)
    assert stopped - killed < STOP_LIMIT_S
    assert run.finish(60) == 0, run.output
    assert 'executive was killed by SIGKILL; it is started again' in run.output
    assert 'failed: The executive ended' in run.output
    assert run.events(kind='ACT', tool_name='capture_and_score') or run.events(
        kind='DECIDE', tool_name='capture_and_score'
    )
    recording = read_recording(run.run_dir)
    assert len(recording.lives) == len(recording.trees) == 2
    assert tell_goals(recording)[0][1].outcome == 'unfinished'


def test_the_simulator_dies_and_the_goal_is_reached_all_the_same(start):
    run = start('demo', '--set', 'rover.start.x=2.6')
    run.wait_for_event(kind='ACT', tool_name='mast_rotate')
    run.kill('simulator_node')
    assert run.finish(90) == 0, run.output
    assert 'environment_simulator was killed by SIGKILL; it is started again' in run.output
    assert run.summary['last_score'] >= 0.8


def test_the_adapter_dies_and_the_goal_is_reached_or_given_up_with_the_reason(start):
    run = start('demo', '--set', 'rover.start.x=2.6')
    run.wait_for_event(kind='ACT', tool_name='mast_rotate')
    run.kill('adapter_node')
    code = run.finish(90)
    assert 'curiosity_adapter was killed by SIGKILL; it is started again' in run.output
    errors = ' '.join(event['message'] for event in run.events(kind='ERROR')).lower()
    assert 'the adapter is silent' in errors or 'the adapter was restarted' in errors
    assert code == 0 or 'the adapter is silent' in run.summary['answer']
