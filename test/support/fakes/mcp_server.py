"""A robot for tests of the server: it notes what is asked of it; the test says its answers."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.client.front_end_events import (
    ClientEvent,
    ExecutiveReady,
    GoalEnded,
    ServiceReply,
)
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest


class FakeAgentPort:
    """Implements `AgentPort`.

    Attributes:
        started: Ticket and request of each goal.
        cancelled: Tickets; each ends as interrupted.
        asked: Questions; each is answered with its own text.
        refusal: The answer to every service, if there is one.
        is_mute: Whether questions are noted and not answered.
        on_start: Is told of each goal.
    """

    def __init__(self, put: Callable[[ClientEvent], None], ready: bool = True) -> None:
        self.put = put
        self.started: list[tuple[int, GoalRequest | ToolRequest]] = []
        self.cancelled: list[int] = []
        self.asked: list[str] = []
        self.on_start: Callable[[int], None] = lambda _: None
        self.is_mute = False
        self.refusal = ''
        self.closed = False
        if ready:
            put(ExecutiveReady())

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Notes a goal."""
        self.started.append((ticket, request))
        self.on_start(ticket)

    def cancel_goal(self, ticket: int) -> None:
        """Ends it."""
        self.cancelled.append(ticket)
        self.put(GoalEnded(ticket, 'interrupted', 'a client cancelled the goal'))

    def call_service(self, service: str, number: int = 0) -> None:
        """Answers at once."""
        self.asked.append(service)
        if not self.is_mute:
            words = self.refusal or f'the answer to {service}'
            self.put(ServiceReply(service, not self.refusal, words, number))

    def subscribe_pictures(self) -> None:
        """Without effect."""

    def close(self) -> None:
        """Notes it."""
        self.closed = True
