"""A console's conversation whose wire and screen only write down what they are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fakes.console import FakeConsolePort, FakeScreen

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.console.console_line_order_goals_and_exit import Repl


@dataclass
class Diary(FakeConsolePort, FakeScreen):
    """Wire, screen and clock at once."""

    now: float = 0.0


class Converse(Protocol):
    """The fixture `conversation`."""

    def __call__(self, piped: bool, ready: bool = True, attached: bool = False) -> Repl: ...


def ended(ticket: int, outcome: str = 'reached') -> GoalEnded:
    return GoalEnded(ticket, outcome, 'It is bright.')
