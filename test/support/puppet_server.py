"""A server on strings: a real process that offers a service or an action and obeys a test.

    puppet_server.py service /lamp std_srvs/srv/SetBool
    puppet_server.py action /look_up tf2_msgs/action/LookupTransform

It does nothing by itself but wait for its client. Every request that comes in is told on stdout
as one JSON object per line (`{"got": "goal"}`), and every line on stdin makes it act once on the
latest request:

    both      {"do": "meet"}   waits for the next client
    service   {"do": "answer", "fields": {"success": true}}
    action    {"do": "accept"}   {"do": "reject"}   {"do": "feedback"}
              {"do": "result", "status": 4, "fields": {}}   status as in action_msgs/GoalStatus
              {"do": "cancel", "answer": "accept" | "refuse" | "unknown"}

Acting twice sends twice. It is built of plain services, because a proper ActionServer refuses to
misbehave.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import Any
import warnings

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
import rclpy
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.service import Service

from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.message_conversions import fields_from_ros, fields_to_ros

POLL_S = 0.002


def tell(**words: Any) -> None:
    print(json.dumps(words), flush=True)


def sent(service: Service, response: Any, header: Any) -> bool:
    """False if DDS has not matched the client's ear yet; rclpy only warns of the lost answer."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always', RuntimeWarning)
        service.send_response(response, header)
    return not told


class Puppet:
    """Takes requests without answering them; remembers the latest header of each kind."""

    def __init__(self, node: Node, services: dict[str, Service]) -> None:
        self.node = node
        self.services = services
        self.latest: dict[str, tuple[Any, Any]] = {}  # kind → request, header
        self.taken: list[tuple[str, Any, Any]] = []  # kind, request, header

    def meet(self) -> None:
        """Until the client is there; the requests of an earlier one are forgotten."""
        while not all(hears_and_is_heard(self.node, each) for each in self.services.values()):
            time.sleep(POLL_S)
        self.poll()
        self.latest, self.taken = {}, []
        tell(got='ready')

    def poll(self) -> None:
        for kind, service in self.services.items():
            with service.handle:
                taken = service.handle.service_take_request(service.srv_type.Request)
            if taken[0] is not None:
                self.latest[kind] = taken
                self.taken.append((kind, *taken))
                tell(got=kind, fields=fields_from_ros(taken[0]))

    def respond(self, kind: str, **fields: Any) -> None:
        self.answer(kind, self.latest[kind][1], **fields)

    def answer(self, kind: str, header: Any, **fields: Any) -> None:
        service = self.services[kind]
        response = service.srv_type.Response()
        for name, value in fields.items():
            setattr(response, name, value)
        while not sent(service, response, header):
            time.sleep(POLL_S)


class ServicePuppet(Puppet):
    """A service."""

    def __init__(self, node: Node, name: str, type_: Any) -> None:
        super().__init__(node, {'request': node.create_service(type_, name, lambda *_: None)})

    def do(self, word: str, fields: dict[str, Any] | None = None) -> None:
        assert word == 'answer'
        self.respond('request', **(fields or {}))


class ActionPuppet(Puppet):
    """An action, as the three services and two topics that it consists of."""

    def __init__(self, node: Node, name: str, type_: Any) -> None:
        impl = type_.Impl
        self.type = type_
        kinds = {
            'goal': ('send_goal', impl.SendGoalService),
            'cancel': ('cancel_goal', CancelGoal),
            'result': ('get_result', impl.GetResultService),
        }
        super().__init__(
            node,
            {
                kind: node.create_service(srv, f'{name}/_action/{suffix}', lambda *_: None)
                for kind, (suffix, srv) in kinds.items()
            },
        )
        self.feedback = node.create_publisher(impl.FeedbackMessage, f'{name}/_action/feedback', 10)
        self.status = node.create_publisher(
            impl.GoalStatusMessage, f'{name}/_action/status', qos_profile_action_status_default
        )

    def do(self, word: str, **how: Any) -> None:
        if word in ('accept', 'reject'):
            self.respond('goal', accepted=word == 'accept')
        elif word == 'feedback':
            goal_id = self.latest['goal'][0].goal_id
            self.feedback.publish(self.type.Impl.FeedbackMessage(goal_id=goal_id))
        elif word == 'result':
            result = fields_to_ros(self.type.Result, how.get('fields', {}))
            while not self._requests_for_result():  # the one for another goal came first
                self.poll()
                time.sleep(POLL_S)
            for header in self._requests_for_result():
                self.answer('result', header, status=how['status'], result=result)
        else:
            self._answer_cancel(how['answer'])

    def _requests_for_result(self) -> list[Any]:
        """For that of the latest goal, or of any if it was sent none."""
        goal = self.latest['goal'][0].goal_id if 'goal' in self.latest else None
        return [
            header
            for kind, request, header in self.taken
            if kind == 'result' and (goal is None or request.goal_id == goal)
        ]

    def _answer_cancel(self, answer: str) -> None:
        codes = {
            'accept': CancelGoal.Response.ERROR_NONE,
            'refuse': CancelGoal.Response.ERROR_REJECTED,
            'unknown': CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID,
        }
        cancelling = []
        if answer == 'accept':
            cancelling = [GoalInfo(goal_id=self.latest['goal'][0].goal_id)]
        self.respond('cancel', return_code=codes[answer], goals_canceling=cancelling)


def obey(puppet: ServicePuppet | ActionPuppet) -> None:
    """Until stdin is closed: the test has ended, or it was killed."""
    rest = b''
    while True:
        puppet.poll()
        if not select.select([sys.stdin], [], [], POLL_S)[0]:
            continue
        text = os.read(sys.stdin.fileno(), 65536)
        if not text:
            return
        *lines, rest = (rest + text).split(b'\n')
        for line in lines:
            words = json.loads(line)
            if words == {'do': 'meet'}:
                puppet.meet()
            else:
                puppet.do(words.pop('do'), **words)


def hears_and_is_heard(node: Node, service: Service) -> bool:
    """Whether a client is known, and its ear for answers: DDS finds each at a time of its own."""
    ear = f'rr{service.service_name}Reply'  # the topic's name in DDS
    known = node.get_subscriptions_info_by_topic(ear, no_mangle=True)
    return bool(node.count_clients(service.service_name) and known)


def main() -> None:
    kind, name, type_name = sys.argv[1:]
    rclpy.init()
    node = rclpy.create_node('puppet')
    make = ActionPuppet if kind == 'action' else ServicePuppet
    puppet = make(node, name, interface_class(type_name))
    puppet.meet()
    obey(puppet)


if __name__ == '__main__':
    main()
