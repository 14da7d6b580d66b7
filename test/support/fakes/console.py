"""The ports of the console: each notes what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import (
    ApprovalAnswer,
    GoalRequest,
    MemoryRequest,
    ShowPage,
    ToolRequest,
)

CANCELLED = 'cancel own goals'


@dataclass
class FakeConsolePort:
    """The way to an executive that never answers.

    Attributes:
        sent: Everything that was asked for, in order: goals with their tickets, questions,
            answers to requests, and `CANCELLED`.
        deaths: How often the executive was said to be gone.
    """

    sent: list[tuple[int, GoalRequest | ToolRequest] | str | ApprovalAnswer | MemoryRequest] = (
        field(default_factory=list)
    )
    deaths: int = 0

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        self.sent.append((ticket, request))

    def cancel(self) -> None:
        self.sent.append(CANCELLED)

    def call_service(self, service: str) -> None:
        self.sent.append(service)

    def set_fault(self, node: str, fault: str) -> None:
        self.sent.append(f'{fault} of {node}')

    def set_stepping(self, on: bool) -> None:
        self.sent.append(f'step {"on" if on else "off"}')

    def toggle_breakpoint(self, name: str) -> None:
        self.sent.append(f'break at {name}')

    def resolve(self, answer: ApprovalAnswer) -> None:
        self.sent.append(answer)

    def call_memory(self, request: MemoryRequest) -> None:
        self.sent.append(request)

    def handle_executive_death(self) -> None:
        self.deaths += 1

    def close(self) -> None:
        pass


@dataclass
class FakeScreen:
    """Keeps what an operator would see.

    Attributes:
        said: Sentences, answers and the pages that were asked for, in order.
        ends: How goals ended.
        named: The words by which these ends say whose they are.
    """

    said: list[str | ShowPage] = field(default_factory=list)
    ends: list[GoalEnded] = field(default_factory=list)
    named: list[str] = field(default_factory=list)

    def info(self, text: str) -> None:
        self.said.append(text)

    def error(self, text: str) -> None:
        self.said.append(text)

    def show_reply(self, text: str) -> None:
        self.said.append(text)

    def show_tree(self, text: str) -> None:
        self.said.append(text)

    def show_page(self, look: ShowPage) -> None:
        self.said.append(look)

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        self.said.append(f'help on {groups[0][0]}')

    def show_end(self, end: GoalEnded, goal: str) -> None:
        self.ends.append(end)
        self.named.append(goal)
