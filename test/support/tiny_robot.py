"""A tiny robot: a base, a gripper and a lamp, and the adapter that the executive drives them by.

docs/your_robot.md leads through it and its configuration, test/support/tiny_robot_config.
"""

from __future__ import annotations

import math
import time
from typing import Any
import uuid

from bt_executive_interfaces.msg import AdapterStatus as StatusMessage
from bt_executive_interfaces.msg import Heartbeat as HeartbeatMessage
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Empty, SetBool, Trigger

from rover_common.adapter_status import AdapterStatus, Ending
from rover_common.message_order import HeartbeatFilter, UsedNumbers
from rover_common.permit import NO_PERMIT_ID, Heartbeat
from rover_common.ros.heartbeat_setpoint_and_status import (
    HEARTBEAT,
    LATEST,
    heartbeat_from_ros,
    status_to_ros,
)
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import run_node

STATUS_S, WATCH_S = 0.1, 0.02


class TinyRobot(Node):
    """Drives only while a living executive permits it. `limit_s`: how old a heartbeat may be."""

    def __init__(self, context: Context, limit_s: float = 0.3) -> None:
        super().__init__('tiny_robot', context=context)
        self.gripper, self.lamp, self.motion = 'open', 'off', ''
        self.log: list[str] = []
        self._limit_s, self._life = limit_s, uuid.uuid4().hex
        self._heartbeats = HeartbeatFilter[Heartbeat](limit_s, 'heartbeat')
        self._heartbeat, self._heartbeat_at = Heartbeat('', 0, 0.0), -math.inf
        self._holder = NO_PERMIT_ID
        self._used = UsedNumbers()
        self._ending: Ending | None = None
        self._change: Future[None] = Future()
        self._status = self.create_publisher(StatusMessage, 'adapter/status', LATCHED)
        self.create_subscription(HeartbeatMessage, HEARTBEAT, self._heard, LATEST)
        waits = ReentrantCallbackGroup()  # heartbeats are heard while a request waits
        drive = self._drive_forward
        self.create_service(Trigger, 'adapter/drive_forward', drive, callback_group=waits)
        self.create_service(Trigger, 'adapter/stop', self._stop)
        self.create_service(Empty, 'base/halt', self._halt)
        self.create_service(Trigger, 'adapter/gripper_open', self._open)
        self.create_service(Trigger, 'adapter/gripper_close', self._close)
        self.create_service(SetBool, 'adapter/lamp', self._switch)
        self.create_timer(STATUS_S, self._tell)
        self.create_timer(WATCH_S, self._watch)

    # --- permission to move ----------------------------------------------------------------------

    def _heard(self, message: HeartbeatMessage) -> None:
        heartbeat, system_time = heartbeat_from_ros(message), time.time()
        if self._heartbeats.receive(heartbeat, system_time):  # a reason why it does not count
            return
        self._heartbeat = heartbeat
        self._heartbeat_at = time.monotonic() - max(system_time - heartbeat.sent_at, 0.0)
        if self.motion and self._holder != (heartbeat.sender, heartbeat.permit.number):
            self._end('WITHDRAWN', 'the executive withdrew its permission')
        self._changed()

    def _watch(self) -> None:
        if self.motion and not self._is_young():
            self._end('HALTED', 'the executive has fallen silent')
        self._changed()

    def _is_young(self) -> bool:
        return time.monotonic() - self._heartbeat_at <= self._limit_s

    def _refusal(self, motion: str) -> str:
        permit = self._heartbeat.permit
        if self.motion:
            return 'Move in progress'
        if not self._is_young() or permit.motion != motion:
            return f'No permission for {motion}'
        is_used = self._used.has(self._heartbeat.permit_id)
        return 'The permission has been used' if is_used else ''

    # --- the base --------------------------------------------------------------------------------

    async def _drive_forward(self, _: Any, answer: Trigger.Response) -> Trigger.Response:
        until = time.monotonic() + self._limit_s  # the permit may come after the request
        while (reason := self._refusal('drive_forward')) and time.monotonic() < until:
            await self._change
        if not reason:
            self._holder = self._heartbeat.permit_id
            self._used.use(self._holder)
            self.motion, self._ending = 'drive_forward', None
            self._note('drives')
        return _answer(answer, reason)

    def _stop(self, _: Any, answer: Trigger.Response) -> Trigger.Response:
        self._end('STOP_CALLED', 'a stop was asked for')
        return _answer(answer, '')

    def _halt(self, _: Any, answer: Empty.Response) -> Empty.Response:
        self._end('STOP_CALLED', 'the base was halted')
        return answer

    def _end(self, code: str, reason: str) -> None:
        if self.motion:
            self._ending = Ending(self._holder, code, reason)
            self.motion, self._holder = '', NO_PERMIT_ID
            self._note(f'stands: {code}')

    # --- gripper and lamp ------------------------------------------------------------------------

    def _open(self, _: Any, answer: Trigger.Response) -> Trigger.Response:
        return self._grip('open', answer)

    def _close(self, _: Any, answer: Trigger.Response) -> Trigger.Response:
        return self._grip('closed', answer)

    def _grip(self, wanted: str, answer: Trigger.Response) -> Trigger.Response:
        if self.motion:
            return _answer(answer, 'Move in progress')
        self.gripper = wanted
        self._note(f'gripper {wanted}')
        return _answer(answer, '')

    def _switch(self, request: SetBool.Request, answer: SetBool.Response) -> SetBool.Response:
        self.lamp = 'on' if request.data else 'off'
        self._note(f'lamp {self.lamp}')
        return _answer(answer, '')

    # --- status ----------------------------------------------------------------------------------

    def _note(self, words: str) -> None:
        self.log.append(words)
        self._tell()

    def _changed(self) -> None:
        change, self._change = self._change, Future()
        change.set_result(None)

    def _tell(self) -> None:
        status = AdapterStatus(
            sender=self._life,
            moving=bool(self.motion),
            at_rest=not self.motion,
            heartbeat=self._heartbeat.number,
            ending=self._ending,
            details={'gripper': self.gripper, 'lamp': self.lamp},
        )
        self._status.publish(status_to_ros(status))


def _answer(answer: Any, reason: str) -> Any:
    answer.success, answer.message = not reason, reason
    return answer


if __name__ == '__main__':
    run_node(lambda _: TinyRobot(rclpy.get_default_context()))
