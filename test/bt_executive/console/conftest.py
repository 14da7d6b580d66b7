"""A conversation and its diary."""

from __future__ import annotations

from conversations import Converse, Diary
import pytest

from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_line_order_goals_and_exit import Repl
from rover_common.config.load import load_config


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def conversation(diary: Diary) -> Converse:
    def make(piped: bool, ready: bool = True, attached: bool = False) -> Repl:
        words = Vocabulary(load_config())
        repl = Repl(words, diary, diary, lambda: diary.now, piped, attached)
        if ready:
            repl.handle_executive_ready()
        return repl

    return make
