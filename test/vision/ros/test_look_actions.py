"""The result of a look, whatever its texts hold."""

from __future__ import annotations

from concurrent.futures import Future
from uuid import uuid4

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import Look
from network import Network
from network import network as network
import pytest
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from unique_identifier_msgs.msg import UUID

from rover_vision.capture.connected_clients import Source
from rover_vision.look_request_and_result import LookCode, LookFault
from rover_vision.looks_through_the_tree import LookAnswer
from rover_vision.ros.look_actions import LookAction, _result


def test_a_result_can_be_sent_whatever_its_texts_hold() -> None:
    fault = LookFault(LookCode.NO_CLIENT, 'connected: \ud83d and \0')
    sent = _result(LookAnswer(fault))
    received = deserialize_message(serialize_message(sent), Look.Result)
    assert received.message == 'connected: \ufffd and \ufffd'


@pytest.mark.ros
def test_a_look_that_was_cancelled_before_it_began_ends(network: Network) -> None:
    """After a freeze of the process it looked, and asked the model, for nobody."""
    server, client = Node('server'), network.add(Node('client'))
    work: Future[LookAnswer] = Future()
    LookAction(server, 'look', Source.CAMERA, lambda *_: work, ReentrantCallbackGroup())
    looks = ActionClient(client, Look, 'look')
    network.wait_until(looks.server_is_ready)
    goal_id = UUID(uuid=list(uuid4().bytes))
    sent = looks.send_goal_async(Look.Goal(), goal_uuid=goal_id)
    accepted = Look.Impl.SendGoalService.Response(accepted=True)
    ClientGoalHandle(looks, goal_id, accepted).cancel_goal_async()
    network.wait(0.5)  # both are there when the server begins to work
    network.add(server)
    network.wait_until(sent.done)
    result = sent.result().get_result_async()
    network.wait_until(result.done)
    assert result.result().status == GoalStatus.STATUS_CANCELED
    assert result.result().result.error_code == 'CANCELLED'
    assert work.cancelled()
