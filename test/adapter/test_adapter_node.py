"""The adapter as a node, against a small rover whose faults can be set."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

import pytest
from tf2_msgs.msg import TFMessage

from rover_common.geometry.transforms import Transform
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros

pytestmark = pytest.mark.ros

# Where an answer that never comes, or a service that is never there, is waited for.
IMPATIENT = 'curiosity.motion.service_wait_s=2.0'


def test_the_loop_of_variant_b(ready: Callable[..., None], rover: Any, caller: Any) -> None:
    ready()
    assert caller.call('move_forward') == 'Need to close mast'
    assert rover.asked('move_forward') == 0
    assert caller.call('mast_close') == ''
    assert rover.tilt == pytest.approx(1.57)
    assert caller.call('move_forward') == ''
    assert rover.rolling
    assert caller.call('mast_open') == 'Move in progress'
    assert caller.call('turn_left') == 'Move in progress'
    assert caller.call('move_stop') == ''
    assert not rover.rolling
    assert caller.call('mast_open') == ''
    assert caller.call('mast_rotate') == ''
    assert caller.call('mast_rotate') == ''
    assert rover.pan == pytest.approx(-6.28)
    assert rover.violations == []


def test_status_by_service_and_topic(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    world.wait_until(lambda: caller.status['at_rest'])  # the first stop was answered
    told = caller.told()
    limits = told.pop('limits')
    assert isinstance(told.pop('mast_moves'), bool)
    assert (limits['longest_s'], limits['battery_floor_pct']) == (30.0, 5.0)
    assert (
        told.pop('life') == caller.status['life'] != ''
    )  # the same from the service and the topic
    assert told == {
        'variant': 'B',
        'mast_is_open': True,
        'mast': 'open',
        'mast_command': None,
        'move_allowed': False,
        'moving': False,
        'motion': None,
        'at_rest': True,
        'standing_unknown': None,
        'permit': {'motion': '', 'number': 0, 'gate': '', 'goal': ''},
        'ending': None,
        'navigation_goal': None,
        'setpoint': None,
        'heartbeat': None,
        'deadman': 'manual',
        'manual_mode': True,
        'last_error_reason': None,
        'last_refusal': None,
        'rover_x': None,
        'rover_y': None,
        'rover_z': None,
        'rover_yaw': None,
        'rover_stamp': None,
        'rover_age_s': None,
        'tilt': None,
        'battery_pct': None,
        'joints': {'mast_p_joint': 0.0, 'mast_02_joint': 0.0, 'mast_cameras_joint': 0.1},
        'heartbeat_age_s': None,
    }
    broadcaster = rover.create_publisher(TFMessage, 'tf', TF_QOS)
    told_at: list[float] = []

    def tell() -> None:
        told_at.append(12.0 + 0.02 * len(told_at))
        pose = Transform.planar(1.5, -0.5, 0.25, stamp=told_at[-1])
        base = pose_to_ros('/odom', '/base_footprint', pose)
        broadcaster.publish(TFMessage(transforms=[base]))

    rover.create_timer(0.02, tell)
    world.wait_until(lambda: caller.status['rover_x'] is not None)
    status = caller.status
    assert [status[f'rover_{key}'] for key in ('x', 'y', 'yaw')] == [1.5, -0.5, 0.25]
    assert any(status['rover_stamp'] == pytest.approx(at, abs=1e-6) for at in told_at)
    assert caller.call('mast_close') == ''
    assert caller.call('turn_right') == ''
    world.wait_until(lambda: caller.status['motion'] == 'turn_right')
    assert caller.status['moving']
    assert caller.call('move_stop') == ''
    world.wait_until(lambda: not caller.status['moving'])
    assert (caller.status['mast_is_open'], caller.status['move_allowed']) == (False, True)


def test_variant_a_has_no_mast_services_and_no_exclusivity(
    ready: Callable[..., None], rover: Any, caller: Any
) -> None:
    ready('variant=A')
    told = caller.told()
    assert (told['mast_is_open'], told['mast'], told['move_allowed']) == (None, None, True)
    assert not caller.offered('mast_open')
    assert not caller.offered('mast_close')
    assert caller.call('move_forward') == ''
    assert caller.call('move_stop') == ''
    assert caller.call('mast_rotate') == ''
    assert rover.asked('mast_rotate') == 1


def test_a_start_up_stop_is_sent_once_the_rover_is_there(
    world: Any, make_rover: Any, caller: Any
) -> None:
    world.adapter('curiosity.motion.stop_retry_s=20.0')
    world.wait_until(lambda: caller.status)
    rover = make_rover()
    rover.rolling = True
    rover.offer('move_stop')
    world.wait_until(lambda: not rover.rolling)
    assert rover.asked('move_stop') == 1


@pytest.mark.parametrize('name', ['mast_close', 'move_stop'])
def test_an_absent_service_is_waited_for_and_named(
    world: Any, make_rover: Any, caller: Any, name: str
) -> None:
    make_rover()
    world.adapter(IMPATIENT)
    world.wait_until(lambda: caller.offered(name) and caller.status.get('mast') == 'open')
    begun = time.monotonic()
    assert f"Rover service '/{name}' is absent" in caller.call(name)
    assert time.monotonic() - begun >= 2.0


def test_a_motion_without_its_service_never_begins(
    world: Any, make_rover: Any, caller: Any
) -> None:
    rover = make_rover('move_stop', 'mast_close')
    world.adapter(IMPATIENT)
    world.wait_until(lambda: caller.status.get('mast') == 'open')
    assert caller.call('mast_close') == ''
    assert "'/move_forward' is absent" in caller.call('move_forward')
    assert not caller.told()['moving']
    rover.offer('move_forward')
    assert caller.call('move_forward') == ''


def test_a_jammed_mast_is_told_and_does_not_disturb_the_next_command(
    ready: Callable[..., None], rover: Any, caller: Any
) -> None:
    ready('curiosity.mast.move_timeout_s=3.0')
    rover.faults.jammed = True
    assert "'mast_p_joint' is at 0.00 rad, wanted 1.57" in caller.call('mast_close')
    assert caller.call('move_forward') == 'Need to close mast'
    rover.faults.jammed = False
    assert caller.call('mast_close') == ''
    assert 'mast_p_joint' not in caller.call('move_forward')


def test_without_joint_states_nothing_moves(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready(IMPATIENT)
    assert caller.call('mast_close') == ''
    rover.faults.blind = True
    world.wait_until(lambda: caller.status['mast'] == 'unknown')
    assert caller.status['mast_is_open'] is None
    assert 'Mast state is unknown' in caller.call('move_forward')
    assert "was not sent: no joint state of 'mast_p_joint' came for" in caller.call('mast_open')
    assert rover.asked('mast_open') == 0


def test_a_command_goes_on_while_the_mast_is_not_heard(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready(
        'curiosity.mast.joint_states_max_age_s=0.3',
        'curiosity.mast.move_timeout_s=60.0',
        'curiosity.motion.service_wait_s=60.0',
    )
    rover.faults.held.add('mast_close')
    closing = caller.send('mast_close')
    world.wait_until(lambda: rover.asked('mast_close'))
    rover.faults.blind = True
    rover.faults.held.clear()
    world.wait_until(lambda: rover.tilt == 1.57 and caller.status['mast'] == 'unknown')
    assert caller.told()['mast_command'] == 'mast_close'
    assert not closing.done()
    rover.faults.blind = False
    assert closing.result(60.0).message == ''


def test_others_are_served_while_a_mast_command_waits(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready('curiosity.motion.service_wait_s=60.0')
    rover.faults.held.add('mast_open')
    waiting = caller.send('mast_open')
    world.wait_until(lambda: rover.asked('mast_open'))
    assert caller.told()['mast_command'] == 'mast_open'
    assert caller.call('mast_close') == 'Mast is busy with mast_open'
    assert caller.call('move_forward') == 'Need to close mast'
    assert caller.call('move_stop') == ''
    assert not waiting.done()
    rover.faults.held.clear()
    assert waiting.result(60.0).message == ''
    assert caller.call('mast_close') == ''


def test_a_start_without_an_answer_is_stopped(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready(IMPATIENT)
    assert caller.call('mast_close') == ''
    rover.faults.mute.add('move_forward')
    assert "'/move_forward' did not answer within 2 s" in caller.call('move_forward')
    world.wait_until(lambda: not rover.rolling)
    world.wait_until(lambda: not caller.told()['moving'])
    assert caller.call('turn_left') == ''
    assert rover.rolling


@pytest.fixture
def given_up(ready: Callable[..., None], world: Any, rover: Any, caller: Any) -> None:
    """A start that hangs at the rover, was given up, and may be carried out later."""
    ready(IMPATIENT)
    assert caller.call('mast_close') == ''
    rover.faults.held.add('move_forward')
    assert 'did not answer' in caller.call('move_forward')
    world.wait_until(lambda: not caller.told()['moving'])


@pytest.mark.usefixtures('given_up')
def test_a_start_that_is_carried_out_late_is_stopped_again(world: Any, rover: Any) -> None:
    rover.faults.held.clear()
    world.wait_until(lambda: 'move_forward' in rover.done)
    world.wait_until(lambda: rover.done[-1] == 'move_stop')
    assert not rover.rolling


@pytest.mark.usefixtures('given_up')
def test_a_start_that_is_carried_out_late_ends_its_successor(
    world: Any, rover: Any, caller: Any
) -> None:
    assert caller.call('turn_left') == ''
    rover.faults.held.clear()
    world.wait_until(lambda: 'move_forward' in rover.done)
    world.wait_until(lambda: not rover.rolling)
    world.wait_until(lambda: not caller.told()['moving'])
    said = caller.told()['last_error_reason']
    assert said == 'turn_left was stopped: an earlier start came late'


def test_a_stop_overtakes_a_start_that_hangs(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    assert caller.call('mast_close') == ''
    rover.faults.held.add('turn_right')
    starting = caller.send('turn_right')
    world.wait_until(lambda: rover.asked('turn_right'))
    stops = rover.done.count('move_stop')
    stopping = caller.send('move_stop')
    world.wait_until(lambda: rover.done.count('move_stop') > stops)
    rover.faults.held.clear()
    assert stopping.result(60.0).message == ''
    assert not rover.rolling
    assert 'turn_right' in rover.done
    assert starting.result(60.0).message == 'turn_right was not completed: move_stop was called'
    assert not caller.told()['moving']


def test_a_mast_that_leaves_its_place_ends_the_motion(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    assert caller.call('mast_close') == ''
    assert caller.call('move_forward') == ''
    rover.push_mast(0.8)
    world.wait_until(lambda: not rover.rolling)
    world.wait_until(lambda: not caller.told()['moving'])
    assert caller.told()['last_error_reason'] == 'move_forward was stopped: Need to close mast'


def test_no_motion_begins_beside_a_mast_command_that_may_be_carried_out_late(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready(IMPATIENT)
    assert caller.call('mast_close') == ''
    rover.faults.held.add('mast_open')
    assert 'did not answer' in caller.call('mast_open')
    assert 'mast_open was not answered and may still begin' in caller.call('move_forward')
    rover.faults.held.clear()
    world.wait_until(lambda: caller.told()['mast'] == 'open')
    assert not rover.rolling
    assert caller.call('mast_close') == ''
    assert caller.call('move_forward') == ''


def test_a_caller_that_died_while_it_waited_does_no_harm(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready()
    lost = world.add(type(caller)())
    world.wait_until(lambda: lost.offered('mast_close'))
    rover.faults.held.add('mast_close')
    lost.send('mast_close')
    world.wait_until(lambda: rover.asked('mast_close'))
    world.remove(lost)
    assert caller.told()['mast_command'] == 'mast_close'
    rover.faults.held.clear()
    world.wait_until(lambda: caller.told()['mast_command'] is None)
    assert caller.call('move_forward') == ''


def test_no_motion_lasts_longer_than_allowed(
    ready: Callable[..., None], world: Any, rover: Any, caller: Any
) -> None:
    ready('curiosity.motion.longest_s=0.8')
    assert caller.call('mast_close') == ''
    begun = time.monotonic()
    assert caller.call('move_forward') == ''
    world.wait_until(lambda: not rover.rolling)
    assert time.monotonic() - begun >= 0.8
    world.wait_until(lambda: not caller.told()['moving'])
    assert 'longer than 0.8 s' in caller.told()['last_error_reason']
