"""Another process that comes between two statements of SQLite."""

from __future__ import annotations

from collections.abc import Callable
import sqlite3
from typing import Any

import pytest


def do_before_statement(
    monkeypatch: pytest.MonkeyPatch, begins: str, act: Callable[[], object]
) -> None:
    """Act once, before the first statement that begins so of the next connection."""
    connect, waiting = sqlite3.connect, [act]

    class Overtaken(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement.startswith(begins) and waiting:
                waiting.pop()()
            return super().execute(statement, *values)

    def connect_once(*arguments: Any, **options: Any) -> sqlite3.Connection:
        monkeypatch.setattr(sqlite3, 'connect', connect)
        return connect(*arguments, **options, factory=Overtaken)

    monkeypatch.setattr(sqlite3, 'connect', connect_once)
