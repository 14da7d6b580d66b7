"""A check in a process of its own: what it passes on, and that nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable
import os
import time

import psutil
import pytest

from bt_executive.launching.check_in_child_process import CheckInChildProcess
from rover_common.errors import BtExecutiveError, UsageError

pytestmark = pytest.mark.process


def refuse() -> None:
    raise UsageError('A rover runs here already: “Ä” \udc80.')


def fail() -> None:
    raise ValueError('unforeseen')


def vanish() -> None:
    os._exit(7)


def wait() -> None:
    time.sleep(600.0)


def test_a_check_that_passes() -> None:
    CheckInChildProcess(lambda: None).result()


@pytest.mark.parametrize(
    ('check', 'error', 'text'),
    [
        pytest.param(refuse, BtExecutiveError, 'already: “Ä” \udc80', id='refused'),
        pytest.param(fail, RuntimeError, 'ValueError: unforeseen', id='failed'),
        pytest.param(vanish, RuntimeError, 'ended with code 7', id='ended without a word'),
    ],
)
def test_a_check_that_does_not_pass(
    check: Callable[[], None], error: type[Exception], text: str
) -> None:
    with CheckInChildProcess(check) as aside, pytest.raises(error, match=text):
        aside.result()


def test_a_check_whose_result_is_not_asked_for_is_ended() -> None:
    before = psutil.Process().children()
    with CheckInChildProcess(wait):
        (child,) = {*psutil.Process().children()} - {*before}
    assert not child.is_running()


def test_two_checks_at_once_do_not_hold_each_other_up() -> None:
    with CheckInChildProcess(wait):
        CheckInChildProcess(lambda: None).result()
