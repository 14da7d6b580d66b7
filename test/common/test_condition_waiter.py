"""Waiting on conditions, run by asyncio with time in our hands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from fakes.common import ManualClock
import pytest

from rover_common.condition_waiter import ConditionWaiter


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def run(scenario: Callable[[ConditionWaiter], Awaitable[None]], clock: ManualClock) -> None:
    async def main() -> None:
        await scenario(ConditionWaiter(clock, asyncio.get_running_loop().create_future))

    asyncio.run(main())


def test_what_holds_already_is_not_waited_for(clock: ManualClock) -> None:
    async def scenario(waiter: ConditionWaiter) -> None:
        assert await waiter.until(lambda: True, 0.0)

    run(scenario, clock)


def test_each_wait_ends_by_its_own_condition_or_time(clock: ManualClock) -> None:
    async def scenario(waiter: ConditionWaiter) -> None:
        facts: set[str] = set()
        soon = asyncio.create_task(waiter.until(lambda: 'soon' in facts, 5.0))
        never = asyncio.create_task(waiter.until(lambda: 'never' in facts, 2.0))
        await asyncio.sleep(0)
        clock.now = 1.9
        waiter.evaluate()
        await asyncio.sleep(0)
        assert not soon.done()
        assert not never.done()
        clock.now = 2.0
        waiter.evaluate()
        assert await never is False
        facts.add('soon')
        waiter.evaluate()
        assert await soon is True

    run(scenario, clock)
