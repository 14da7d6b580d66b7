"""However early an interrupt comes, it is one."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

from rover_common.process.early_interrupt import early_interrupt


async def program() -> None:
    """Would go on."""
    await asyncio.sleep(0)


@pytest.mark.parametrize('forgets', [False, True])
def test_an_interrupt_of_a_loop_that_starts_is_no_cancellation(
    monkeypatch: pytest.MonkeyPatch, forgets: bool
) -> None:
    until_complete = asyncio.BaseEventLoop.run_until_complete

    def interrupted(loop: asyncio.BaseEventLoop, task: Any) -> Any:
        if asyncio.iscoroutine(task) or task.get_coro().__name__ != 'program':
            return until_complete(loop, task)
        if forgets:  # as if it had come before the count began
            task.cancel()
        else:
            signal.raise_signal(signal.SIGINT)
        return until_complete(loop, task)

    monkeypatch.setattr(asyncio.BaseEventLoop, 'run_until_complete', interrupted)
    with pytest.raises(KeyboardInterrupt), early_interrupt():
        asyncio.run(program())
