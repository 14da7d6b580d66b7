"""The result of a look, whatever its texts hold."""

from __future__ import annotations

from bt_executive_interfaces.action import Look
from rclpy.serialization import deserialize_message, serialize_message

from rover_vision.look_request_and_result import LookCode, LookFault
from rover_vision.looks_through_the_tree import LookAnswer
from rover_vision.ros.look_actions import _result


def test_a_result_can_be_sent_whatever_its_texts_hold() -> None:
    fault = LookFault(LookCode.NO_CLIENT, 'connected: \ud83d and \0')
    sent = _result(LookAnswer(fault))
    received = deserialize_message(serialize_message(sent), Look.Result)
    assert received.message == 'connected: \ufffd and \ufffd'
