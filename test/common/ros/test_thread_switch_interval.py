"""A ready thread runs soon: short turns, and no full collection of what was imported."""

from __future__ import annotations

from collections.abc import Iterator
import gc
import sys
import weakref

from garbage import spare_what_lives
import pytest

from rover_common.ros.thread_switch_interval import SWITCH_S, shorten_switch_interval

pytestmark = pytest.mark.slow


class Garbage:
    """Refers to itself, so only the garbage collector finds it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True, scope='module')
def as_before() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    spare_what_lives()
    sys.setswitchinterval(before)


def test_a_thread_that_waits_gets_its_turn_soon() -> None:
    shorten_switch_interval()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)


def test_what_is_there_is_left_out_of_every_later_collection() -> None:
    lasting = Garbage()
    shorten_switch_interval()
    assert not any(each is lasting for each in gc.get_objects())


def test_garbage_of_before_is_gone_and_garbage_of_later_goes() -> None:
    before = weakref.ref(Garbage())
    shorten_switch_interval()
    assert before() is None
    later = weakref.ref(Garbage())
    gc.collect()
    assert later() is None
