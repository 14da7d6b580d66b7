"""Requests for approval at a front end, from a publisher in the executive's place."""

from __future__ import annotations

from typing import Any

from bt_executive_interfaces.msg import ApprovalRequest, ApprovalRequests
import pytest
from std_srvs.srv import Trigger
from two_nodes import TwoNodes, own_context

from bt_executive.client.front_end_events import PendingApprovals, ServiceReply
from bt_executive.client.front_end_rights import AGENT, OPERATOR, PAGE, FrontEnd
from bt_executive.ros.client.executive_questions import ExecutiveQuestions
from bt_executive.ros.client.received_messages import TopicReader
from rover_common.config.load import load_config
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros


def waiting(*ids: str) -> ApprovalRequests:
    return ApprovalRequests(
        requests=[ApprovalRequest(request_id=each, tool='turn', arguments='{}') for each in ids]
    )


def test_after_a_silence_the_requests_are_those_of_whoever_is_found() -> None:
    with own_context() as context:
        stage, seen = TwoNodes(context, 'questions'), list[Any]()
        publisher = stage.served.create_publisher(ApprovalRequests, '~/approvals', LATCHED)
        publisher.publish(waiting('a1', 'a2'))
        reader = TopicReader(stage.console, seen.append)
        questions = ExecutiveQuestions(reader, seen.append, load_config(), OPERATOR, 1.0)

        def found() -> list[str]:
            stage.until(lambda: seen, 'the requests')
            event = seen.pop()
            assert isinstance(event, PendingApprovals)
            return [each['id'] for each in event.requests]

        assert found() == ['a1', 'a2']
        questions.forget()  # the same executive, which has published nothing since
        assert found() == ['a1', 'a2']
        publisher.publish(waiting('a2'))
        assert found() == ['a2']
        questions.forget()
        assert found() == ['a2']
        stage.served.destroy_publisher(publisher)
        questions.forget()
        questions.call_service('pending')
        assert seen == [ServiceReply('pending', True, 'No request waits.')]
        seen.clear()
        stage.served.create_publisher(ApprovalRequests, '~/approvals', LATCHED).publish(
            waiting('b1')
        )
        assert found() == ['b1']


@pytest.mark.parametrize('front_end', [PAGE, AGENT], ids=lambda each: each.name)
def test_a_stop_is_sent_again_until_an_executive_has_taken_it(front_end: FrontEnd) -> None:
    """The page showed "Stopped", and the next run of the executive drove on with its goals."""
    with own_context() as context:
        stage, seen, asked = TwoNodes(context, 'stops'), list[Any](), list[bool]()
        questions = ExecutiveQuestions(
            TopicReader(stage.console, seen.append), seen.append, load_config(), front_end, 1.0
        )
        questions.call_service('stop')
        absent = seen.pop()
        assert (absent.service, absent.ok) == ('stop', False)

        def take(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            asked.append(len(asked) > 0)
            response.success = asked[-1]  # the first one is ending
            return response

        stage.served.create_service(Trigger, f'~/{front_end.services["stop"]}', take)
        stage.until(questions._services['stop'].service_is_ready, 'the executive is found')
        for ok in (False, True):
            questions.repeat_stops()
            stage.until(lambda: seen, 'an answer')
            assert seen.pop().ok is ok
        questions.repeat_stops()
        assert not questions._unanswered_stops
        assert asked == [False, True]


def test_a_stop_that_the_operator_has_undone_is_not_sent_again() -> None:
    with own_context() as context:
        stage, seen = TwoNodes(context, 'undone'), list[Any]()
        questions = ExecutiveQuestions(
            TopicReader(stage.console, seen.append), seen.append, load_config(), PAGE, 1.0
        )
        for service in ('pause', 'safe_stop', 'resume'):
            questions.call_service(service)
        assert questions._unanswered_stops.keys() == {'safe_stop'}
