"""What an input changes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.battery_readings import NOISE_PCT, charge_used
from bt_executive.core.goal_queue import AGENT, OPERATOR, Task
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    MemoryReceived,
    PauseRequested,
    PoseReceived,
    ResumeRequested,
    SafetyEvent,
    StatusReceived,
    StopRequested,
    ZonesReceived,
)
from bt_executive.core.modes import interrupted_by
from bt_executive.core.observation_and_effects import Observation
from bt_executive.core.reduce import reduce
from bt_executive.core.reduce_operator_inputs import stop_served
from bt_executive.core.reduce_robot_inputs import STANDING_UNKNOWN
from bt_executive.core.state import BrainState
from bt_executive.core.surroundings_state import with_memory, with_obstacle
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import KeepOutZone

CONFIG = load_config(None, ['keep_out=[{name: pit, polygon: [[4, 2], [6, 2], [6, 4]]}]'])
NOW = Now.at(100.0)
STOP, PAUSE, RESUME = StopRequested('x'), PauseRequested('x'), ResumeRequested('x')


def after(*events: Input) -> BrainState:
    seen = Observation(BrainState())
    for event in events:
        seen = reduce(seen, event, NOW, CONFIG).observation
    return seen.state


@pytest.mark.parametrize('kind', [PauseRequested, StopRequested])
@pytest.mark.parametrize('sources', [(OPERATOR, AGENT), (AGENT, OPERATOR)])
def test_what_the_operator_requested_stays_the_operators_if_an_agent_requests_it_too(
    kind: type[PauseRequested | StopRequested], sources: tuple[str, str]
) -> None:
    assert interrupted_by(after(*(kind(source) for source in sources))) == OPERATOR


def test_a_pause_of_the_operator_is_the_operators_after_a_stop_and_a_pause_of_an_agent() -> None:
    state = after(PauseRequested(OPERATOR), StopRequested(AGENT), PauseRequested(AGENT))
    assert interrupted_by(state) == AGENT
    assert stop_served(state.hci).interrupt_payload == {'source': OPERATOR}


def test_a_pause_after_a_release_is_the_agents() -> None:
    state = after(PauseRequested(OPERATOR), ResumeRequested(OPERATOR), PauseRequested(AGENT))
    assert interrupted_by(state) == AGENT


@pytest.mark.parametrize(
    ('percents', 'word'),
    [
        ([20.0], 'OK'),
        ([19.9], 'LOW'),
        ([19.9, 20.1, 59.9], 'LOW'),
        ([19.9, 60.0], 'OK'),
        ([19.9, 60.0, 30.0], 'OK'),
    ],
)
def test_a_low_battery_is_low_until_it_has_risen_enough(percents: list[float], word: str) -> None:
    events = [BatteryReceived(1.0, each) for each in percents]
    assert after(*events).robot.battery_state == word


@pytest.mark.parametrize(
    ('events', 'word'),
    [
        ([PAUSE], 'PAUSE'),
        ([PAUSE, RESUME], 'NONE'),
        ([STOP, PAUSE], 'STOP'),
        ([STOP, RESUME], 'STOP'),
        ([PAUSE, STOP], 'STOP'),
        ([RESUME], 'NONE'),
    ],
)
def test_a_stop_outlasts_every_other_word(events: list[Input], word: str) -> None:
    assert after(*events).hci.user_interrupt.value == word


def test_a_goal_that_arrives_again_is_one_goal() -> None:
    goal = GoalReceived(Task('a', 'look', received_at=1.0))
    again = GoalReceived(replace(goal.task, received_at=2.0))
    assert after(goal, GoalReceived(Task('b', 'look')), again).tasks.queue == (
        goal.task,
        Task('b', 'look'),
    )


def test_the_first_safety_event_gives_the_reason_and_an_empty_one_counts() -> None:
    assert after(SafetyEvent('', 'x')).world.safety_reason == 'Safety event without a reason'
    first = after(SafetyEvent('cliff', 'x'), SafetyEvent('dust', 'x'))
    assert first.world.safety_reason == 'cliff'


@pytest.mark.parametrize('value', ['yes', 1, 0, None, [], {}])
def test_a_part_that_is_no_flag_is_not_known(value: object) -> None:
    known, odd = (
        StatusReceived(at, AdapterStatus('a', details=details))
        for at, details in (
            (1.0, {'mast_is_open': True}),
            (2.0, {'mast_is_open': value, 'mast': 3}),
        )
    )
    robot = after(known, odd).robot
    assert (robot.moving, robot.stands) == (None, None)
    assert robot.standing_unknown == STANDING_UNKNOWN
    assert robot.parts == {'mast': None, 'mast_is_open': None}


def test_other_events_are_not_the_states_business() -> None:
    assert after(GoalCancelled('1', 'x')) == BrainState()


def test_zones_are_the_configured_ones_and_those_that_were_told() -> None:
    cliff = KeepOutZone(name='cliff', polygon=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
    world = after(ZonesReceived((cliff,))).world
    assert world.zones == ('pit', 'cliff')
    assert world.summary == 'Keep-out zones: pit, cliff.'
    assert after(ZonesReceived((cliff,)), ZonesReceived(())).world.zones == ('pit',)


def test_a_pose_has_its_height_and_rotation() -> None:
    pose = after(PoseReceived(1.0, 2.0, 3.0, 1.5, 0.1, z=0.4, orientation_w=0.7)).robot.pose
    assert (pose.x, pose.y, pose.z, pose.orientation_w) == (2.0, 3.0, 0.4, 0.7)
    assert (pose.yaw, pose.tilt) == (1.5, 0.1)


def poses(*places: tuple[float, float, float, float]) -> list[Input]:
    """Stamp, x, y, yaw each."""
    return [PoseReceived(stamp, x, y, yaw, stamp=stamp) for stamp, x, y, yaw in places]


@pytest.mark.parametrize(
    ('places', 'linear_x', 'angular_z'),
    [
        ([(1.0, 0.0, 0.0, 0.0)], 0.0, 0.0),
        ([(1.0, 0.0, 0.0, 0.0), (1.5, 0.2, 0.0, 0.0)], 0.4, 0.0),
        ([(1.0, 0.0, 0.0, 0.0), (1.5, -0.2, 0.0, 0.0)], -0.4, 0.0),
        ([(1.0, 0.0, 0.0, 1.5708), (1.5, 0.0, 0.2, 1.5708)], 0.4, 0.0),
        ([(1.0, 0.0, 0.0, 3.1), (1.5, 0.0, 0.0, -3.1)], 0.0, 0.1664),
        ([(1.0, 0.0, 0.0, 0.0), (1.5, 0.2, 0.0, 0.0), (1.5, 0.2, 0.0, 0.0)], 0.4, 0.0),
        ([(1.0, 0.0, 0.0, 0.0), (1.5, 0.2, 0.0, 0.0), (2.0, 50.0, 0.0, 0.0)], 0.4, 0.0),
        ([(1.0, 0.0, 0.0, 0.0), (1.5, 0.2, 0.0, 0.0), (2.0, 0.2, 0.0, 0.0)], 0.0, 0.0),
    ],
    ids=['one pose', 'ahead', 'back', 'north', 'turn', 'twice', 'jump', 'stands'],
)
def test_the_velocity_is_that_between_two_poses(
    places: list[tuple[float, float, float, float]], linear_x: float, angular_z: float
) -> None:
    twist = after(*poses(*places)).robot.twist
    assert twist.linear_x == pytest.approx(linear_x, abs=1e-4)
    assert twist.angular_z == pytest.approx(angular_z, abs=1e-4)


def test_what_is_remembered_near_the_robot_is_in_the_world() -> None:
    rock = {'id': 'n1', 'name': 'Bishop', 'kind': 'rock', 'x': 4.0, 'y': 1.0, 'radius_m': 0.8}
    camp = {**rock, 'id': 'n2', 'name': 'camp', 'kind': 'place'}
    world = after(MemoryReceived('Bishop: 4 m.', (rock, camp))).world
    assert [each['name'] for each in world.places] == ['Bishop', 'camp']
    assert world.obstacles == ({'x': 4.0, 'y': 1.0, 'radius_m': 0.8, 'name': 'Bishop'},)
    assert world.summary == 'Remembered: Bishop: 4 m.'
    blocked = with_obstacle(world, {'x': 1.0, 'y': 0.0, 'tool': 'navigate_to', 'reason': 'a rock'})
    assert [each.get('tool') for each in blocked.obstacles] == ['navigate_to', None]
    assert 'blocked once, the last one: a rock' in blocked.summary
    told = with_memory(blocked, '', ())
    assert [each['reason'] for each in told.obstacles] == ['a rock']


@given(trembles=st.lists(st.floats(0.0, 0.9 * NOISE_PCT), max_size=100))
def test_a_gauge_that_trembles_uses_nothing(trembles: list[float]) -> None:
    charge, used = charge_used(None, 50.0)
    assert used == 0.0
    for tremble in trembles:
        charge, used = charge_used(charge, 50.0 + tremble)
        assert used == 0.0
    assert charge_used(charge, 49.0)[1] == pytest.approx(1.0)


def test_what_was_charged_is_not_subtracted() -> None:
    charge, all_used = None, []
    for percent in (50.0, 40.0, 90.0, 85.0):
        charge, used = charge_used(charge, percent)
        all_used.append(used)
    assert all_used == [0.0, 10.0, 0.0, 5.0]
