"""When the navigator plans, with what, and when it gives a plan up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
import math
from typing import Any

import numpy as np
import pytest

from curiosity_navigation.costmap import Costmap
from curiosity_navigation.navigation_goal_progress import EndCode

pytestmark = pytest.mark.long


def test_no_way_is_planned_over_the_distance_of_a_jump(plain: Any) -> None:
    def jump() -> None:
        plain.habits.shift = (-200.0 if plain.x > 4.0 else 0.0, 0.0)

    outcome = plain.go(20.0, 0.0, meanwhile=jump)
    assert outcome.code is EndCode.BLOCKED
    assert 'm away now, more than 150 m' in outcome.message
    assert not plain.rolling


class Planning(Executor):
    """Keeps what it was asked to plan with, and makes each plan when `go_on` is called."""

    def __init__(self) -> None:
        self.costmaps: list[Costmap] = []
        self._job: tuple[Future[Any], Callable[[], Any]] | None = None

    def submit(self, work: Any, /, *args: Any, **_kwargs: Any) -> Future[Any]:
        self.costmaps.append(args[3])
        job = self._job = Future(), partial(work, *args)
        return job[0]

    def go_on(self) -> None:
        if self._job:
            future, work = self._job
            self._job = None
            future.set_result(work())


def test_after_a_jump_no_way_is_planned_before_the_next_scan(make_plain: Any) -> None:
    plain = make_plain([(9.0, 5.0, 0.5)])
    planning = plain.parts.navigator._planning = Planning()
    began = math.inf

    def jump() -> None:
        nonlocal began
        planning.go_on()
        if plain.x > 4.0 and not plain.habits.shift[1]:
            plain.habits.shift, began = (0.0, 6.0), plain.now
        plain.habits.blind = plain.now < began + 1.4 and began < math.inf

    assert plain.go(20.0, 0.0, meanwhile=jump).code is EndCode.ARRIVED
    for costmap in planning.costmaps[1:]:
        assert np.hypot(*(costmap.obstacles - (9.0, 11.0)).T).max() < 1.0


def test_a_way_that_was_planned_before_a_jump_is_not_driven(plain: Any) -> None:
    planning = plain.parts.navigator._planning = Planning()
    asked: set[str] = set()  # of the rover, before there was a second plan

    def jump() -> None:
        if len(planning.costmaps) == 1 and not plain.habits.shift[1]:
            plain.habits.shift = (0.0, 6.0)
        elif plain.parts.poses.jumps:
            planning.go_on()
        if len(planning.costmaps) == 1:
            asked.update(plain.asked)

    assert plain.go(20.0, 0.0, meanwhile=jump).code is EndCode.ARRIVED
    assert 'move_forward' not in asked


class NeverDone(Executor):
    """A plan that takes for ever; `cancelled` as it was handed to it."""

    def submit(self, _work: Any, /, *args: Any, **_kwargs: Any) -> Future[Any]:
        self.cancelled = args[-1]
        return Future()


def test_the_plan_of_a_cancelled_goal_is_cancelled(plain: Any) -> None:
    planning = plain.parts.navigator._planning = NeverDone()
    before = []

    def cancel() -> None:
        if not plain.cancelled and plain.now > 5.0:
            before.append(planning.cancelled())
            plain.cancelled = True

    assert plain.go(20.0, 0.0, meanwhile=cancel).code is EndCode.CANCELLED
    assert (before, planning.cancelled()) == ([False], True)
