"""What a yes says when the disk has taken what it stands for, not yet, or never will."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import PauseRequested
from bt_executive.core.store_port import Durability, StoreCode, StoreFault
from bt_executive.ros.executive_services import Replies

PATIENCE_S = 2.0
FULL = StoreFault(StoreCode.DISK_FULL, 'make room on the disk.')
LOST = 'so a restart would not know of it'


class Disk:
    """A store that has come so far."""

    latest = 1

    def __init__(self, durability: Durability, fault: StoreFault | None) -> None:
        self._durability, self._fault = durability, fault

    def durable(self, _ticket: int) -> Durability:
        return self._durability

    def fault(self) -> StoreFault | None:
        return self._fault


@pytest.mark.parametrize('sentence', ['The pause begins.', 'stopping'])
@pytest.mark.parametrize(
    ('durability', 'fault', 'accepted', 'adds'),
    [
        (Durability.ON_DISK, None, True, ''),
        (Durability.ON_DISK, FULL, True, ''),
        (
            Durability.WAITING,
            None,
            False,
            f'is not yet on disk, {LOST}: the disk has not answered',
        ),
        (Durability.WAITING, FULL, False, f'is not yet on disk, {LOST}: make room on the disk.'),
        (Durability.NEVER, FULL, False, f'cannot be kept, {LOST}: make room'),
        (Durability.NOT_KEPT, None, True, ''),
        (Durability.NOT_KEPT, FULL, True, f'is not kept, {LOST}: make room'),
    ],
)
def test_a_yes_says_in_one_sentence_what_is_not_on_disk(
    durability: Durability, fault: StoreFault | None, accepted: bool, adds: str, sentence: str
) -> None:
    inbox, now = Inbox(), [0.0]
    store: Any = Disk(durability, fault)
    node: Any = SimpleNamespace(executor=None)
    replies = Replies(node, inbox, store, PATIENCE_S, lambda: now[0])
    waits = replies.ask(lambda reply: PauseRequested('me', reply))
    waits.send(None)
    (event,) = inbox.drain()
    assert isinstance(event, PauseRequested)
    event.reply(True, sentence)
    replies.answer_due()
    now[0] = PATIENCE_S
    replies.answer_due()
    with pytest.raises(StopIteration) as said:
        waits.send(None)
    is_yes, words = said.value.value
    assert is_yes is accepted
    if adds:
        assert words.startswith(f'{sentence.rstrip(".")}; but this {adds}')
    else:
        assert words == sentence
