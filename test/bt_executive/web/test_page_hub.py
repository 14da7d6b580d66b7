"""Who waits for news: a page is woken by anything, and before its time by the trace alone."""

from __future__ import annotations

import anyio

from bt_executive.client.front_end_events import StateReceived
from bt_executive.core.state import BrainState
from bt_executive.web.operator_view import OperatorViewFold
from bt_executive.web.page_feed import Hub
from bt_executive.web.page_snapshots_and_patches import LivePageData
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent

LONG_S = 1e6
SEVERAL_TURNS = 20


async def turns() -> None:
    """Lets everything else in the loop go on that can."""
    for _ in range(SEVERAL_TURNS):
        await anyio.lowlevel.checkpoint()


def test_a_state_lets_a_page_wait_and_an_event_of_the_trace_does_not() -> None:
    async def wait() -> list[str]:
        hub = Hub(
            LivePageData('run', load_config(None), lambda: 100.0), OperatorViewFold(lambda: 100.0)
        )
        hub.begin()
        seen = []

        async def page() -> None:
            await hub.wait_for_event(hub.stage.event_count, LONG_S)
            seen.append('event')

        async with anyio.create_task_group() as group:
            group.start_soon(page)
            await turns()
            hub.put(StateReceived(BrainState(), 100.0))
            await turns()
            seen.append('state')
            hub.put(TraceEvent('1', 100.0, 'OBSERVE', 'Something happened'))
        return seen

    assert anyio.run(wait) == ['state', 'event']


def test_an_earlier_event_is_not_waited_for() -> None:
    async def wait() -> None:
        hub = Hub(
            LivePageData('run', load_config(None), lambda: 100.0), OperatorViewFold(lambda: 100.0)
        )
        hub.begin()
        event_count = hub.stage.event_count
        hub.put(TraceEvent('1', 100.0, 'OBSERVE', 'Something happened'))
        with anyio.fail_after(LONG_S):
            await hub.wait_for_event(event_count, LONG_S)

    anyio.run(wait)
