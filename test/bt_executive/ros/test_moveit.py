"""config/robots/moveit_arm: executive and gate, with a stand-in for MoveIt that has its messages.

They are compiled by `bt-executive interfaces add`, see docs/your_robot.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from action_servers import in_executor
from bt_executive_interfaces.msg import ApprovalRequests
from bt_executive_interfaces.srv import ResolveApproval
import pytest
import rclpy
from robot_stage import RobotStage, end_of, initialised
from waiting import wait_until

from rover_common.ros.qos import LATCHED

pytest.importorskip('moveit_msgs.action', reason='moveit_msgs is not compiled: not on PyPI')
from moveit_stand_in import MoveItStandIn

NEAR, FAR = {'joint_1': 0.1, 'joint_2': -0.1}, {'joint_1': 3.0, 'joint_2': -3.0}
pytestmark = pytest.mark.ros


class Stage(RobotStage):
    """An arm with a gate, and an agent that asks for its tools."""

    def __init__(self, folder: Path) -> None:
        self.arm = MoveItStandIn(rclpy.get_default_context())
        super().__init__('moveit_arm', folder, 'agent', self.arm)
        self._resolve = self.node.create_client(ResolveApproval, 'executive/resolve_approval')
        self.asked: list[Any] = []
        self.node.create_subscription(
            ApprovalRequests, 'executive/approvals', self._approvals_came, LATCHED
        )

    def answer(self, action: str, word: str = '') -> None:
        """Answers the request that comes."""
        wait_until(lambda: self.asked, 'a human is asked')
        request = ResolveApproval.Request(
            request_id=self.asked[0].request_id, action=action, word=word
        )
        sent = in_executor(self.node, lambda: self._resolve.call_async(request))
        wait_until(sent.done, 'the answer is taken')
        assert sent.result().success, sent.result().message
        wait_until(lambda: not self.asked, 'nothing is asked any more')

    def end(self, tool: str, **arguments: float) -> tuple[str, str]:
        """How a call that is approved ended, and the answer."""
        result = self.begin(tool, **arguments)
        self.answer('approve')
        return end_of(result)

    def _approvals_came(self, message: ApprovalRequests) -> None:
        self.asked = list(message.requests)


@pytest.fixture(scope='module')
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with initialised():
        made = Stage(tmp_path_factory.mktemp('moveit'))
        with made.spun():
            yield made


def test_the_arm_moves_when_a_human_agrees(stage: Stage) -> None:
    result = stage.begin('move_joints', **NEAR)
    wait_until(lambda: stage.asked, 'a human is asked')
    assert not stage.arm.requests, 'nothing is sent before'
    stage.answer('approve')
    assert end_of(result)[0] in ('reached', 'claimed')
    assert stage.arm.joints == NEAR
    request = stage.arm.requests[-1]
    assert (request.group_name, request.num_planning_attempts) == ('manipulator', 3)
    joints = request.goal_constraints[0].joint_constraints
    assert [(each.joint_name, each.position) for each in joints] == [*NEAR.items()]
    assert {each.tolerance_above for each in joints} == {0.01}


def test_a_human_who_refuses_is_heard(stage: Stage) -> None:
    before = len(stage.arm.requests)
    result = stage.begin('move_joints', **FAR)
    stage.answer('reject', 'people stand there')
    outcome, answer = end_of(result)
    assert outcome == 'failed'
    assert 'people stand there' in answer
    assert len(stage.arm.requests) == before


def test_a_stop_ends_a_motion_in_its_middle(stage: Stage) -> None:
    result = stage.begin('move_joints', **FAR)
    stage.answer('approve')
    wait_until(lambda: stage.arm.joints['joint_1'] > 0.3, 'it moves')
    stage.stop()
    assert end_of(result)[0] == 'interrupted'
    wait_until(lambda: not stage.arm.moves, 'it stands')
    assert stage.arm.joints['joint_1'] < FAR['joint_1']


def test_a_composite_is_approved_once(stage: Stage) -> None:
    assert stage.end('fold')[0] in ('reached', 'claimed')
    assert stage.arm.joints == {'joint_1': 0.0, 'joint_2': -1.57}


@pytest.mark.parametrize(
    'code',
    [-1, -12, -4, -31],
)
def test_an_error_of_moveit_is_the_answer(stage: Stage, code: int) -> None:
    stage.arm.fails = code
    try:
        outcome, answer = stage.end('move_joints', **NEAR)
    finally:
        stage.arm.fails = 0
    assert outcome == 'failed'
    assert 'as the test wants it' in answer


def test_a_goal_that_moveit_does_not_take_is_refused(stage: Stage) -> None:
    stage.arm.accepts = False
    try:
        outcome, answer = stage.end('move_joints', **NEAR)
    finally:
        stage.arm.accepts = True
    assert outcome == 'failed'
    assert 'not accepted' in answer or 'rejected' in answer.lower()
