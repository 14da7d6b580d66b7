"""When a service counts as one that does not answer."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.task import Future

from bt_executive.ros.client import service_and_parameter_calls
from bt_executive.ros.client.service_and_parameter_calls import READING_NS, AnswerTimeout

LIMIT_S = 5.0


class Desk:
    """One request of a front end, whose clock and timer are the test's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr(service_and_parameter_calls, 'time', clock)
        self.answer = Future()
        self.answers: list[str] = []
        self.resets = 0
        client = SimpleNamespace(
            service_name='/s',
            service_is_ready=lambda: True,
            call_async=lambda _request: self.answer,
            remove_pending_request=lambda _asked: None,
        )
        node = SimpleNamespace(create_timer=self._timer, destroy_timer=lambda _timer: None)
        stand_in: Any = node
        AnswerTimeout(stand_in, LIMIT_S).ask(
            client, None, self.answers.append, self.answers.append
        )

    def _timer(self, _period_s: float, callback: Callable[[], None], clock: Any) -> Any:
        self._expire = callback
        self.timer = SimpleNamespace(timer_period_ns=round(LIMIT_S * 1e9), reset=self._reset)
        return self.timer

    def _reset(self) -> None:
        self.resets += 1

    def expire_after(self, seconds: float) -> None:
        self.now += seconds
        self._expire()


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_a_service_that_does_not_answer_in_time_is_given_up(desk: Desk) -> None:
    desk.expire_after(LIMIT_S)
    assert desk.answers == [f'No answer from /s within {LIMIT_S:g} s']


def test_a_front_end_that_did_not_run_first_reads_what_has_arrived(desk: Desk) -> None:
    desk.expire_after(LIMIT_S + 2.0)
    assert not desk.answers
    assert (desk.resets, desk.timer.timer_period_ns) == (1, READING_NS)
    desk.expire_after(LIMIT_S)  # late again, on a busy machine
    assert desk.answers == [f'No answer from /s within {LIMIT_S:g} s']
