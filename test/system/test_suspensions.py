"""A process stands still while a drive begins, and the drive is called off meanwhile.

The short form of `python -m bench suspensions`: one moment for each process. What is
asserted is not how soon, but that the rover stands and does not start again. At the end Ctrl-C.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus
from late_heartbeats import TRIES, is_late
from lean import BLIND
from nav_msgs.msg import Odometry
import psutil
import pytest
from seen_to_stand import wait_until_seen_to_stand
from spinning import spun_node
from status_messages import facts_of
from std_srvs.srv import Empty, Trigger
from suspension import suspended
from waiting import wait_until

from rover_common.ros.qos import LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.system]

DRIVE = ':tool move_forward {"duration_s": 20}\n'
# To all but the executive both ways are the same call of move_stop, and the same end of a permit.
CASES = (
    *(('executive_node', 'stop'), ('executive_node', 'pause')),
    *(('adapter_node', 'stop'), ('control_node', 'pause')),
)
STARTS_LATE_S = 3.5  # of the rover's time: how late a start may come, and the stop after it
MOVES_M_S = 0.05
STANDS_S = 1.0  # of the rover's time without a motion


class Witness:
    """What the odometry and the adapter say."""

    def __init__(self, node: Any) -> None:
        self.time = self.moved_at = 0.0  # stamps of odometry
        self.status: dict[str, Any] = {}
        node.create_subscription(Odometry, 'model/curiosity_mars_rover/odometry', self._see, 10)
        node.create_subscription(AdapterStatus, 'adapter/status', self._hear, LATCHED)

    def _see(self, odometry: Odometry) -> None:
        self.time = odometry.header.stamp.sec + odometry.header.stamp.nanosec * 1e-9
        if abs(odometry.twist.twist.linear.x) > MOVES_M_S:
            self.moved_at = self.time

    def _hear(self, status: AdapterStatus) -> None:
        self.status = facts_of(status)

    def wait(self, seconds: float) -> None:
        """Until so much of the rover's time has passed."""
        end = self.time + seconds
        wait_until(lambda: self.time > end, 'time passes')

    def stands(self) -> bool:
        """Whether the adapter says that nothing moves and nothing may; not before it was heard."""
        if not self.status:
            return False
        permitted = self.status['permit']['motion']
        return bool(self.status['at_rest'] and not permitted and self.time > self.moved_at)


def suspended_around(run: Any, process: psutil.Process, way: str) -> None:
    """The drive is asked for and called off while the process stands still."""
    begun, stops = len(run.events(kind='ACT')), len(run.events(tool_name='move_stop'))
    executive = 'executive_node' in process.cmdline()[2]  # it hears both when it goes on
    with suspended(process):
        run.write(DRIVE)
        if not executive:
            wait_until(
                lambda: len(run.events(kind='ACT')) > begun, lambda: f'it drives:\n{run.output}'
            )
        run.write(f':{way}\n')
        if not executive:
            wait_until_stopped(run, stops)
    wait_until_stopped(run, stops)


def wait_until_stopped(run: Any, stops: int) -> None:
    """More stops were sent than so many."""
    wait_until(
        lambda: len(run.events(tool_name='move_stop')) > stops,
        lambda: f'it is stopped:\n{run.output}',
    )


def set_off(run: Any, witness: Witness) -> None:
    """Begins a drive, from a rover that stands."""
    wait_until(witness.stands, lambda: f'it stands: {witness.status}')
    stood = witness.time
    run.write(DRIVE)
    wait_until(lambda: witness.moved_at > stood, 'it drives')


def disturbed(run: Any, witness: Witness, service: Any) -> str:
    """Why a drive failed in which somebody else called a service; again if the machine paused."""
    for _ in range(TRIES):
        failures = len(run.events(kind='ERROR', tool_name='move_forward'))
        set_off(run, witness)
        service.call_async(service.srv_type.Request())
        failed = run.wait_for_event(kind='ERROR', tool_name='move_forward', count=failures + 1)
        if not is_late(failed['error_reason']):
            break
    return str(failed['error_reason'])


def stopped_past(control: psutil.Process, run: Any, witness: Witness) -> None:
    """The rover stands while the process that serves its stop does not run; nobody confirms it."""
    set_off(run, witness)
    with suspended(control):
        run.write(':stop\n')
        wait_until(lambda: witness.time > witness.moved_at + STANDS_S, 'it stands')
        assert not witness.status['at_rest']
    wait_until(witness.stands, lambda: f'it stands: {witness.status}')


def test_no_start_overtakes_its_stop_and_no_stopped_drive_is_called_done(start: Any) -> None:
    run = start('up', *BLIND, '--set', 'rover.rocks=0')
    with spun_node('witness', run.domain) as node:
        witness = Witness(node)
        outside = node.create_client(Trigger, 'adapter/move_stop')
        own_stop, own_turn = (
            node.create_client(Empty, name) for name in ('move_stop', 'turn_left')
        )
        run.wait_for_rover()
        wait_until_seen_to_stand(node)
        run.close_mast()
        for name, way in CASES:
            suspended_around(run, run.processes()[name], way)
            wait_until(witness.stands, lambda: f'it stands: {witness.status}')
            since = witness.time
            witness.wait(STARTS_LATE_S)
            assert witness.moved_at <= since, f'{name}, {way}: it started again'
            run.write(':stop\n:reset\n:resume\n')
            run.close_mast()
        # "move_forward was not completed: …" while the rover's answer to the start is under way
        assert disturbed(run, witness, outside).endswith('move_stop was called')
        assert 'somebody else stopped it' in disturbed(run, witness, own_stop)
        assert 'somebody else turns it' in disturbed(run, witness, own_turn)
        stopped_past(run.processes()['control_node'], run, witness)
        set_off(run, witness)
        before = len(run.events())
        os.kill(run.process.pid, signal.SIGINT)
        assert run.finish() == 130, run.output
    assert run.summary['outcome'] == 'interrupted'
    assert 'move_stop' in str(run.events()[before:])
