"""The ports of the console: each notes what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import GoalRequest, Look, MemoryRequest, ToolRequest
from bt_executive.client.typed_answers import Resolve

CANCELLED = 'cancel own goals'


@dataclass
class FakeConsolePort:
    """The way to an executive that never answers.

    Attributes:
        sent: Everything that was asked for, in order: goals with their tickets, questions,
            answers to requests, and `CANCELLED`.
        deaths: How often the executive was said to be gone.
    """

    sent: list[tuple[int, GoalRequest | ToolRequest] | str | Resolve | MemoryRequest] = field(
        default_factory=list
    )
    deaths: int = 0

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """See `ConsolePort.start`."""
        self.sent.append((ticket, request))

    def cancel(self) -> None:
        """See `ConsolePort.cancel`."""
        self.sent.append(CANCELLED)

    def ask(self, question: str) -> None:
        """See `ConsolePort.ask`."""
        self.sent.append(question)

    def set_fault(self, node: str, fault: str) -> None:
        """See `ConsolePort.set_fault`."""
        self.sent.append(f'{fault} of {node}')

    def step(self, on: bool) -> None:
        """See `ConsolePort.step`."""
        self.sent.append(f'step {"on" if on else "off"}')

    def break_at(self, name: str) -> None:
        """See `ConsolePort.break_at`."""
        self.sent.append(f'break at {name}')

    def resolve(self, answer: Resolve) -> None:
        """See `ConsolePort.resolve`."""
        self.sent.append(answer)

    def ask_memory(self, request: MemoryRequest) -> None:
        """See `ConsolePort.ask_memory`."""
        self.sent.append(request)

    def executive_died(self) -> None:
        """See `ConsolePort.executive_died`."""
        self.deaths += 1

    def close(self) -> None:
        """See `ConsolePort.close`."""


@dataclass
class FakeScreen:
    """Keeps what an operator would see.

    Attributes:
        said: Sentences, answers and the pages that were asked for, in order.
        ends: How goals ended.
        named: The words by which these ends say whose they are.
    """

    said: list[str | Look] = field(default_factory=list)
    ends: list[GoalEnded] = field(default_factory=list)
    named: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """See `Screen.say`."""
        self.said.append(text)

    def complain(self, text: str) -> None:
        """See `Screen.complain`."""
        self.said.append(text)

    def show(self, text: str) -> None:
        """See `Screen.show`."""
        self.said.append(text)

    def show_tree(self, text: str) -> None:
        """See `Screen.show_tree`."""
        self.said.append(text)

    def show_page(self, look: Look) -> None:
        """See `Screen.show_page`."""
        self.said.append(look)

    def show_help(self, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        """See `Screen.show_help`."""
        self.said.append(f'help on {groups[0][0]}')

    def show_end(self, end: GoalEnded, goal: str) -> None:
        """See `Screen.show_end`."""
        self.ends.append(end)
        self.named.append(goal)
