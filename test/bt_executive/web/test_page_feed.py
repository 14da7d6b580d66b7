"""The feed of a page: who may have it, what it sends and receives, and what wakes a page."""

from __future__ import annotations

import json
import time
from typing import Any

import anyio
import pytest
from starlette.websockets import WebSocketDisconnect
from waiting import wait_until

from bt_executive.client.front_end_events import StateReceived
from bt_executive.core.state import BrainState
from bt_executive.web.operator_view import OperatorViewFold
from bt_executive.web.page_feed import MAX_MESSAGE_CHARS, Hub
from bt_executive.web.page_snapshots_and_patches import LivePageData
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'
LIFE = 'life-1'
ORIGIN = 'http://127.0.0.1:8700'
LONG_S = 1e6
SEVERAL_TURNS = 20


def begun_hub() -> Hub:
    stage = LivePageData('run', load_config(None), lambda: 100.0)
    hub = Hub(stage, OperatorViewFold(lambda: 100.0))
    hub.begin()
    return hub


async def turns() -> None:
    """Lets everything else in the loop go on that can."""
    for _ in range(SEVERAL_TURNS):
        await anyio.lowlevel.checkpoint()


def test_a_state_lets_a_page_wait_and_an_event_of_the_trace_does_not() -> None:
    async def wait() -> list[str]:
        hub = begun_hub()
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
        hub = begun_hub()
        event_count = hub.stage.event_count
        hub.put(TraceEvent('1', 100.0, 'OBSERVE', 'Something happened'))
        with anyio.fail_after(LONG_S):
            await hub.wait_for_event(event_count, LONG_S)

    anyio.run(wait)


class Feed:
    """The messages of a page's connection."""

    def __init__(self, served: Any, **headers: str) -> None:
        self._opened = served.client.websocket_connect(
            'ws://127.0.0.1:8700/feed', headers={'origin': ORIGIN, **headers}
        )

    def __enter__(self) -> Feed:
        self.socket = self._opened.__enter__()
        return self

    def __exit__(self, *ended: Any) -> None:
        self._opened.__exit__(*ended)

    def next(self, kind: str) -> Any:
        while True:
            message = json.loads(self.socket.receive_text())
            if kind in message:
                return message[kind]


def test_a_page_receives_everything_and_then_changes(served: Any) -> None:
    with Feed(served) as feed:
        hello = feed.next('hello')
        assert 0.0 < hello.pop('clock') <= time.monotonic()
        assert 0.0 < hello.pop('system') <= time.time()
        assert hello == {'life': LIFE, 'read_only': False}
        assert feed.next('stage')['live'] is True
        assert feed.next('desk')['presence'] == 'starting'
        begin = TraceEvent('e1', 1.0, 'OBSERVE', f'New goal: {HOSTILE}', data={'task_id': 't'})
        served.hub.put(begin)
        patch = feed.next('patch')
    assert patch['goals'][0]['story']['text'] == HOSTILE
    assert [event[3] for event in patch['lists']['events']] == [f'New goal: {HOSTILE}']


@pytest.mark.parametrize('origin', ['http://evil.example', 'null', 'http://127.0.0.1:8701'])
def test_a_page_of_another_origin_receives_nothing(served: Any, origin: str) -> None:
    with Feed(served, origin=origin) as feed, pytest.raises(WebSocketDisconnect) as closed:
        feed.socket.receive_text()
    assert closed.value.code == 4403


def test_held_keys_arrive_and_end_with_the_page(served: Any) -> None:
    with Feed(served) as feed:
        feed.next('stage')
        feed.socket.send_bytes(b'no page of ours')
        feed.socket.send_text('[' * MAX_MESSAGE_CHARS)
        feed.socket.send_text('{"drive": "move_forward", "camera": true}')
        feed.socket.send_text('no json')
        feed.socket.send_text('["drive"]')
    assert served.port.asked[:2] == [('request_camera',), ('drive', 'move_forward')]
    assert served.port.asked[-1] == ('drive', '')


def test_a_page_that_closes_releases_what_it_held_and_not_what_another_one_holds(
    served: Any,
) -> None:
    with Feed(served) as driving:
        with Feed(served) as other:
            other.next('stage')
            driving.next('stage')
            driving.socket.send_text('{"drive": "move_forward"}')
            wait_until(lambda: served.port.asked)
        assert served.port.asked == [('drive', 'move_forward')]
    assert served.port.asked == [('drive', 'move_forward'), ('drive', '')]


def test_a_page_drives_nothing_with_what_it_still_holds_after_another_one_has_driven(
    served: Any,
) -> None:
    def handled() -> int:
        return sum(asked == ('request_camera',) for asked in served.port.asked)

    def holds(feed: Feed, motion: str) -> None:
        before = handled()
        feed.socket.send_text(f'{{"drive": "{motion}"}}')
        feed.socket.send_text('{"camera": true}')
        wait_until(lambda: handled() > before)

    def driven() -> list[str]:
        return [asked[1] for asked in served.port.asked if asked[0] == 'drive']

    with Feed(served) as one, Feed(served) as other:
        holds(one, 'move_forward')
        for feed, motion in ((other, 'turn_left'), (one, 'move_forward'), (other, '')):
            holds(feed, motion)
        holds(one, 'move_forward')
        assert driven() == ['move_forward', '', 'turn_left', '']
        holds(one, '')
        holds(one, 'move_forward')
        assert driven()[-1] == 'move_forward'


def test_a_read_only_page_drives_nothing(read_only: Any) -> None:
    with Feed(read_only) as feed:
        feed.next('stage')
        feed.socket.send_text('{"drive": "move_forward"}')
    assert ('drive', 'move_forward') not in read_only.port.asked
