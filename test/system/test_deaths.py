"""kill -9 of one process while the system works: it is said, the rover stands, work goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
import json
from pathlib import Path
import signal
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus
from geometry_msgs.msg import Twist
from late_heartbeats import KeptDrive, is_late
from lean import HALF_WAY
import pytest
from spinning import spun_node
from waiting import wait_until

from bt_executive.launching.system_processes import nodes_without
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.store.sqlite_opening_and_faults import open_for_reading
from bt_executive.store.store_rows import read_entries
from bt_executive.view.goals_of_a_run import read_goals
from rover_common.ros.entering_ros import PROFILE, VARIABLE
from rover_common.ros.node_topic_and_enclave_names import RECORDER
from rover_common.ros.qos import LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.system]
# Who was killed counts as a publisher for so long, instead of Fast DDS's own 20 s.
LEASE = """<rtps><builtin><discovery_config>
  <leaseDuration><sec>5</sec></leaseDuration><leaseAnnouncement><sec>1</sec></leaseAnnouncement>
</discovery_config></builtin>"""


@contextmanager
def watched(domain: int) -> Iterator[tuple[list[float], list[str]]]:
    """Speeds that the wheels were told, and what the adapter says of the mast."""
    commands, masts = [], []
    with spun_node('observer', domain) as node:
        node.create_subscription(
            Twist, 'cmd_vel', lambda twist: commands.append(twist.linear.x), 10
        )
        node.create_subscription(
            AdapterStatus,
            'adapter/status',
            lambda status: masts.append(json.loads(status.details)['mast']),
            LATCHED,
        )
        yield commands, masts


def asked_of_the_rover(run: Any, service: str) -> int:
    """How often a service of the rover was asked for, by its own log."""
    log: Path = run.run_dir / 'logs' / 'curiosity_control.log'
    return log.read_text(encoding='utf-8').count(f'{service} was asked for')


def calls_of(run: Any, label: str) -> tuple[int, int]:
    """How many calls to a service surely were sent in any life, and how many may have been.

    By the store in the run folder: a run enters each call before it sends it, and that it was
    sent a moment later, which a kill may prevent.
    """
    with closing(open_for_reading(run.run_dir / 'journal.sqlite')) as connection:
        calls = [each.value for each in read_entries(connection, "kind = 'CALL'")]
    sent = [call['session_id'] for call in calls if call['happened'] == 'send']
    assert len(sent) == len(set(sent)), 'a call was sent twice'
    opened = {call['session_id'] for call in calls if call['label'] == label}
    return len(opened & set(sent)), len(opened)


def test_the_executive_dies_while_the_rover_drives(start: Any) -> None:
    run = start('up', '--set', 'move.nudge_duration_sec=20.0')
    with watched(run.domain) as (commands, _):
        run.wait_for_rover()
        run.write(':mast_close\n:nudge\n:cap\n:quit\n')
        run.wait_for_event(kind='ACT', tool_name='move_nudge')
        wait_until(
            lambda: commands and commands[-1] > 0, lambda: f'the rover drives:\n{run.output}'
        )
        run.kill('executive_node')
        wait_until(lambda: commands[-1] == 0, 'the rover was stopped')
    assert run.finish() == 1, run.output  # :cap is refused: the mast is closed
    assert 'executive was killed by SIGKILL; it is started again' in run.output
    # The console says so as well, unless the goal has ended before the console sees the new life.
    how = '(1, ended abruptly): 1 open goal'
    assert run.events(message=f'Resumed from the previous run {how}')
    (end,) = [each for each in run.goal_ends() if each['goal'].startswith('move_nudge')]
    assert end['outcome'] == 'failed'
    assert 'The executive was restarted while move_nudge was under way' in end['answer']
    assert asked_of_the_rover(run, 'move_forward') == 1
    assert run.events(kind='ACT', tool_name='capture_and_score') or run.events(
        kind='DECIDE', tool_name='capture_and_score'
    )
    recording = read_recording(run.run_dir)
    assert len(recording.processes) == len(recording.trees) == 2
    nudge = next(
        goal for goal in read_goals(recording.processes) if goal.text.startswith('move_nudge')
    )
    assert nudge.outcome == 'failed'


def test_simulator_and_executive_die_and_the_goal_is_reached_once_all_the_same(start: Any) -> None:
    run = start('demo', *HALF_WAY)
    run.wait_for_event(kind='ACT', tool_name='mast_rotate')
    run.kill('simulator_node')
    run.wait_for_event(kind='ACT', tool_name='move_nudge')
    run.kill('executive_node')
    assert run.finish() == 0, run.output
    assert 'environment_simulator was killed by SIGKILL; it is started again' in run.output
    assert run.summary['last_score'] >= 0.8
    assert 'executive was killed by SIGKILL; it is started again' in run.output
    # A busy machine may keep the executive silent for so long that it seems lost a second time.
    times_ready = run.output.count('The executive is ready')
    assert 1 <= run.output.count('Goal resumed: ') < times_ready
    assert run.output.count('ends     reached') == 1
    assert [each['outcome'] for each in run.goal_ends()] == ['reached']
    for motion in ('move_forward', 'turn_left', 'turn_right'):
        sent, opened = calls_of(run, f'/adapter/{motion}')
        assert sent <= asked_of_the_rover(run, motion) <= opened
    recording = read_recording(run.run_dir)
    (goal,) = read_goals(recording.processes)
    assert (len(recording.processes), goal.outcome) == (2, 'reached')


def test_the_rover_dies_while_it_drives_and_another_obeys_and_leaves_no_orphan(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With everything that a user has; at last the console is killed."""
    profile = tmp_path / 'profile.xml'
    profile.write_text(PROFILE.read_text().replace('<rtps>', LEASE))
    monkeypatch.setenv(VARIABLE, str(profile))
    run = start('up', whole=True)
    with watched(run.domain) as (commands, masts):
        run.wait_for_rover()
        expected = len(nodes_without([RECORDER]))
        wait_until(lambda: len(run.processes()) == expected, 'every process is there')
        run.write(':mast_close\n')
        drive = KeptDrive(run, ':tool move_forward {"duration_s": 20}\n')
        drive.until(lambda: commands and commands[-1] > 0, 'the rover drives')
        failures = len(run.events(kind='ERROR', tool_name='move_forward'))
        run.kill('rover_node')
        wait_until(lambda: commands[-1] == 0, 'the rover was told to stop')
        # the new one begins with its mast out
        wait_until(lambda: masts[-1:] == ['open'], lambda: f'the mast is out: {masts}')
        failed = run.wait_for_event(kind='ERROR', tool_name='move_forward', count=failures + 1)
        reason = failed['error_reason']
        # by which is a matter of who is faster: silence of the mast, the mast, or the new rover
        mast = ('State of the mast is not known', 'Need to close mast')
        assert reason in mast or reason.startswith('the robot stands after') or is_late(reason)
        assert 'rover was killed by SIGKILL; it is started again' in run.output
        # a trajectory is sent once, and the dead rover counts as a listener for some seconds
        run.write(':mast_close\n' * 2)
        drive = KeptDrive(run, ':tool move_forward {"duration_s": 0.3}\n')
        drive.until(lambda: run.events(kind='RESULT', tool_name='move_forward'), 'it has driven')
        drive = KeptDrive(run, ':tool move_forward {"duration_s": 20}\n')
        drive.until(lambda: commands[-1] > 0, 'it drives again')
    run.process.kill()
    assert run.finish() == -signal.SIGKILL


def test_the_adapter_dies_and_the_goal_is_reached_or_given_up_with_the_reason(start: Any) -> None:
    run = start('demo', *HALF_WAY)
    run.wait_for_event(kind='ACT', tool_name='mast_rotate')
    run.kill('adapter_node')
    code = run.finish()
    assert 'curiosity_adapter was killed by SIGKILL; it is started again' in run.output
    errors = ' '.join(event['message'] for event in run.events(kind='ERROR')).lower()
    assert 'the adapter is silent' in errors or 'the adapter was restarted' in errors
    assert code == 0 or 'the adapter is silent' in run.summary['answer']
