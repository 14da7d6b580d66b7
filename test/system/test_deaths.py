"""kill -9 of one process while the system works: it is said, the rover stands, work goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import json
from typing import Any

from geometry_msgs.msg import Twist
import pytest
from spinning import spun_node
from std_msgs.msg import String
from waiting import wait_until

from bt_executive.report.goals import tell_goals
from bt_executive.report.reading import read_recording
from rover_common.ros.latched import LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.system]


@contextmanager
def watched(domain: int) -> Iterator[tuple[list[float], list[str]]]:
    """Speeds that the wheels were told, and what the adapter says of the mast."""
    commands, masts = [], []
    with spun_node('observer', domain) as node:
        node.create_subscription(
            Twist, 'cmd_vel', lambda twist: commands.append(twist.linear.x), 10
        )
        node.create_subscription(
            String,
            'adapter/status',
            lambda status: masts.append(json.loads(status.data)['mast']),
            LATCHED,
        )
        yield commands, masts


def test_the_executive_dies_while_the_rover_drives(start: Any) -> None:
    run = start('up', '--set', 'move.nudge_duration_sec=20.0')
    with watched(run.domain) as (commands, _):
        run.wait_for_rover()
        run.write(':mast_close\n:nudge\n:cap\n:quit\n')
        run.wait_for_event(kind='ACT', tool_name='move_nudge')
        wait_until(lambda: commands and commands[-1] > 0, 'the rover drives')
        run.kill('executive_node')
        wait_until(lambda: commands[-1] == 0, 'the rover was stopped')
    assert run.finish() == 0, run.output
    assert 'executive was killed by SIGKILL; it is started again' in run.output
    assert 'failed: The executive ended' in run.output
    assert run.events(kind='ACT', tool_name='capture_and_score') or run.events(
        kind='DECIDE', tool_name='capture_and_score'
    )
    recording = read_recording(run.run_dir)
    assert len(recording.lives) == len(recording.trees) == 2
    assert tell_goals(recording)[0][1].outcome == 'unfinished'


def test_the_rover_dies_while_it_drives_and_another_one_obeys(start: Any) -> None:
    run = start('up', '--without', 'environment_simulator')
    with watched(run.domain) as (commands, masts):
        run.wait_for_rover()
        run.write(':mast_close\n:tool move_forward {"duration_s": 20}\n')
        wait_until(lambda: commands and commands[-1] > 0, 'the rover drives')
        run.kill('rover_node')
        wait_until(lambda: commands[-1] == 0, 'the rover was told to stop')
        # the new one begins with its mast out
        wait_until(lambda: masts[-1:] == ['open'], lambda: f'the mast is out: {masts}')
    failed = run.wait_for_event(kind='ERROR', tool_name='move_forward')
    assert failed['error_reason'] == 'State of the mast is not known'
    assert 'rover was killed by SIGKILL; it is started again' in run.output
    # a trajectory for the mast is sent once: one that comes before the new rover is found is lost
    run.write(':mast_close\n' * 2 + ':tool move_forward {"duration_s": 0.3}\n')
    run.wait_for_event(kind='RESULT', tool_name='move_forward', ok=True)


def test_the_simulator_dies_and_the_goal_is_reached_all_the_same(start: Any) -> None:
    run = start('demo', '--set', 'rover.start.x=2.6')
    run.wait_for_event(kind='ACT', tool_name='mast_rotate')
    run.kill('simulator_node')
    assert run.finish() == 0, run.output
    assert 'environment_simulator was killed by SIGKILL; it is started again' in run.output
    assert run.summary['last_score'] >= 0.8


def test_the_adapter_dies_and_the_goal_is_reached_or_given_up_with_the_reason(start: Any) -> None:
    run = start('demo', '--set', 'rover.start.x=2.6')
    run.wait_for_event(kind='ACT', tool_name='mast_rotate')
    run.kill('adapter_node')
    code = run.finish()
    assert 'curiosity_adapter was killed by SIGKILL; it is started again' in run.output
    errors = ' '.join(event['message'] for event in run.events(kind='ERROR')).lower()
    assert 'the adapter is silent' in errors or 'the adapter was restarted' in errors
    assert code == 0 or 'the adapter is silent' in run.summary['answer']
