"""The navigator stands still or dies while it drives: the rover stands, and the tool says why."""

from __future__ import annotations

from typing import Any

from bt_executive_interfaces.msg import AdapterStatus
from geometry_msgs.msg import Twist
from known import known
from late_heartbeats import KeptDrive, is_late
from lean import BLIND
import psutil
import pytest
from spinning import spun_node
from status_messages import facts_of
from suspension import suspended
from waiting import wait_until

from rover_common.ros.qos import LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.system]

FAR = ':tool navigate_to {"x": 40, "y": 3}\n'
FAILURE = {'kind': 'ERROR', 'tool_name': 'navigate_to'}
NAVIGATOR = 'navigation_node'
LOST = (
    '/adapter/navigate_to_pose was asked to end and did not',
    'The server of /adapter/navigate_to_pose has gone',
)
# However long a busy machine takes to start a navigator, its goal waits for it.
PATIENT = (
    *('--set', 'guards.server_wait_s=100'),
    *('--set', 'guards.adapter_status_max_age_s=60'),
    *('--set', 'guards.adapter_status_moving_max_age_s=60'),
)


class Witness:
    """What the wheels were told, and what the adapter says."""

    def __init__(self, node: Any) -> None:
        self.speed = 0.0
        self.status: dict[str, Any] = {}
        node.create_subscription(Twist, 'cmd_vel', self._see, 10)
        node.create_subscription(AdapterStatus, 'adapter/status', self._hear, LATCHED)

    def _see(self, twist: Twist) -> None:
        self.speed = twist.linear.x

    def _hear(self, status: AdapterStatus) -> None:
        self.status = facts_of(status)

    def stands(self) -> bool:
        """Whether the adapter says that nothing moves; not before it was heard."""
        return bool(self.speed == 0.0 and self.status and self.status['at_rest'])


def begin_drive(run: Any, witness: Witness) -> Any:
    """The rover drives; returns what waits for the reason of the tool's next failure."""
    KeptDrive(run, FAR).until(lambda: witness.speed > 0.0, 'it drives')
    before = len(run.events(**FAILURE))

    def reason() -> str:
        return str(run.wait_for_event(count=before + 1, **FAILURE)['error_reason'])

    return reason


def heir_of(dead: psutil.Process, run: Any) -> psutil.Process:
    """The process that is started for one that died."""

    def started() -> psutil.Process | None:
        found: psutil.Process | None = run.processes().get(NAVIGATOR)
        return found if found != dead else None

    return known(wait_until(started, 'the navigator was started again'))


def names_the_navigator(reason: str) -> bool:
    """A machine that pauses may stop the rover for want of a heartbeat before that."""
    return 'no setpoint from the navigator' in reason or is_late(reason)


def test_a_navigator_that_is_lost_stops_the_rover_and_the_next_one_drives(start: Any) -> None:
    options = (*BLIND, '--set', 'rover.rocks=0')
    run = start('up', *options, *PATIENT, navigates=True)
    with spun_node('witness', run.domain) as node:
        witness = Witness(node)
        run.wait_for_rover()
        run.close_mast()

        reason = begin_drive(run, witness)
        navigator = run.processes()[NAVIGATOR]
        with suspended(navigator):
            wait_until(witness.stands, lambda: f'it stands: {witness.status}')
            assert names_the_navigator(reason())
        wait_until(
            lambda: witness.speed > 0.0, lambda: f'the drive goes on by itself:\n{run.output}'
        )

        reason = begin_drive(run, witness)
        starts = len(run.events(kind='ACT', tool_name='navigate_to'))
        with suspended(psutil.Process(run.process.pid)):  # nobody starts the next one meanwhile
            run.kill(NAVIGATOR)
            wait_until(witness.stands, lambda: f'it stands: {witness.status}')
            assert names_the_navigator(reason())
        heir = heir_of(navigator, run)
        with suspended(heir):
            # the next one's server is there, or not yet: that is a matter of who is faster
            wait_until(
                lambda: any(each in run.output for each in LOST),
                lambda: f'the call is given up:\n{run.output}',
            )
            drive = KeptDrive(run, FAR)
            run.wait_for_event(kind='ACT', tool_name='navigate_to', count=starts + 1)
        drive.until(lambda: witness.speed > 0.0, 'it drives')
        run.write(':stop\n')
        wait_until(witness.stands, lambda: f'it stands: {witness.status}')
    assert 'curiosity_navigation was killed by SIGKILL; it is started again' in run.output
    run.write(':quit\n')
    assert run.finish() == 1, run.output  # drives were interrupted
