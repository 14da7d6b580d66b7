"""JSON values into messages and back."""

from __future__ import annotations

from typing import Any

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, PoseStamped, PoseWithCovariance
from hypothesis import given
from hypothesis import strategies as st
import pytest
from sensor_msgs.msg import BatteryState, Image, JointState
from std_msgs.msg import Byte, UInt8MultiArray
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import Marker, MarkerArray

from rover_common.ros.message_conversions import (
    LONGEST_LIST,
    duration_to_ros,
    fields_from_ros,
    fields_to_ros,
    seconds_from_ros,
    seconds_to_ros,
)

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
nanoseconds = st.integers(0, 10**9 - 1)
stamps = st.builds(lambda sec, part: sec + part * 1e-9, st.integers(0, 10**6), nanoseconds)
headers = st.fixed_dictionaries({'stamp': stamps, 'frame_id': st.text(max_size=9)})
points = st.fixed_dictionaries(
    {'positions': st.lists(finite, max_size=4), 'time_from_start': stamps}
)


@given(stamps)
def test_seconds_survive_a_stamp_and_a_duration(seconds: float) -> None:
    assert seconds_from_ros(seconds_to_ros(seconds)) == pytest.approx(seconds, abs=1e-9)
    assert seconds_from_ros(duration_to_ros(-seconds)) == pytest.approx(-seconds, abs=1e-9)


@given(
    st.fixed_dictionaries(
        {
            'header': headers,
            'joint_names': st.lists(st.text(max_size=5), max_size=3),
            'points': st.lists(points, max_size=3),
        }
    )
)
@pytest.mark.slow
def test_nested_fields_survive_a_message(fields: dict[str, Any]) -> None:
    back = fields_from_ros(fields_to_ros(JointTrajectory, fields))
    assert back['header']['frame_id'] == fields['header']['frame_id']
    assert back['header']['stamp'] == pytest.approx(fields['header']['stamp'], abs=1e-6)
    assert back['joint_names'] == fields['joint_names']
    for before, after in zip(fields['points'], back['points'], strict=True):
        assert after['positions'] == before['positions']


def test_whole_numbers_may_be_given_for_floats() -> None:
    fields = {'pose': {'position': {'x': 1}}}
    assert fields_to_ros(PoseStamped, fields).pose.position.x == 1.0
    assert list(fields_to_ros(JointState, {'position': [1, 2]}).position) == [1.0, 2.0]
    filled = fields_to_ros(PoseWithCovariance, {'covariance': [1] * 36})
    assert fields_from_ros(filled)['covariance'] == [1.0] * 36


def test_floats_without_a_fraction_may_be_given_for_integers() -> None:
    """A JSON schema takes 3.0 for an integer, so a call with it was allowed."""
    assert fields_to_ros(Time, {'nanosec': 3.0}) == Time(nanosec=3)
    assert fields_to_ros(Byte, {'data': 3.0}) == fields_to_ros(Byte, {'data': 3})
    assert fields_to_ros(Image, {'height': -0.0}).height == 0
    assert list(fields_to_ros(UInt8MultiArray, {'data': [1.0, 2]}).data) == [1, 2]


def test_octets_are_numbers() -> None:
    assert fields_from_ros(fields_to_ros(Byte, {'data': 5})) == {'data': 5}


def test_pixels_do_not_become_json() -> None:
    assert fields_from_ros(Image(data=bytes(1000)))['data'] == '1000 values'


def test_lists_of_lists_are_read_up_to_a_number_of_values() -> None:
    """A thread of callbacks reads them, and a stop would wait: it took a second."""
    lines = [Marker(points=[Point(x=1.0)] * LONGEST_LIST) for _ in range(LONGEST_LIST)]
    markers = fields_from_ros(MarkerArray(markers=lines))['markers']
    assert markers[0]['points'] == [{'x': 1.0, 'y': 0.0, 'z': 0.0}] * LONGEST_LIST
    assert markers[-1]['points'] == '256 values'
    assert markers[-1]['pose']['orientation']['w'] == 1.0
    described = [each for each in markers if isinstance(each['points'], str)]
    assert len(described) > 0.9 * LONGEST_LIST


@pytest.mark.parametrize(
    ('message', 'fields', 'sentence'),
    [
        (JointTrajectory, {'speed': 1}, "has no field 'speed'; it has: header, joint_names"),
        (JointTrajectory, {'points': 3}, "field 'points' cannot be 3: a list is expected"),
        (JointTrajectory, {'joint_names': [3]}, "field 'joint_names' cannot be"),
        (JointTrajectory, {'joint_names': 'ab'}, 'a list is expected'),
        (PoseStamped, {'pose': 3}, 'the fields of geometry_msgs/Pose are expected'),
        (PoseStamped, {'header': {'stamp': 'now'}}, "field 'stamp' cannot be 'now'"),
        (PoseStamped, {'header': {'stamp': 1e30}}, "field 'stamp' cannot be 1e+30"),
        (BatteryState, {'present': 'yes'}, "field 'present' cannot be 'yes'"),
        (BatteryState, {'voltage': True}, "field 'voltage' cannot be True"),
        (Image, {'height': 0.5}, "field 'height' cannot be 0.5"),
        (Image, {'height': 1e300}, "field 'height' cannot be 1e+300"),
        (Image, {'encoding': 3.0}, "field 'encoding' cannot be 3.0"),
        (Byte, {'data': 300}, "field 'data' cannot be 300: an integer from 0 to 255 is expected"),
        (Byte, {'data': True}, "field 'data' cannot be True: an integer from 0 to 255"),
    ],
)
def test_what_does_not_fit_is_told(message: Any, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match='field') as error:
        fields_to_ros(message, fields)
    assert sentence in str(error.value)


def test_times_are_seconds() -> None:
    assert seconds_to_ros(1.5) == Time(sec=1, nanosec=500_000_000)
    assert duration_to_ros(-0.5) == Duration(sec=-1, nanosec=500_000_000)
