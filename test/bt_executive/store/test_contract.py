"""What every store does, the fake one too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import threading

from fakes.core import FakeStore
import pytest
from stores import NOW, a_goal, end, put_all, start
from waiting import wait_until

from bt_executive.core.store_port import Durability, Store

Make = Callable[[Callable[[], None]], Store]


@pytest.fixture(params=['file', 'fake'])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Store] = []

    def of_file(wake: Callable[[], None]) -> Store:
        made.append(start(tmp_path / 'j.sqlite', wake=wake).store)
        return made[-1]

    yield of_file if request.param == 'file' else FakeStore
    for store in made:
        end(store)


def test_tickets_grow_and_all_become_durable(make: Make) -> None:
    store = make(lambda: None)
    tickets = [store.put(NOW, *change) for change in a_goal('g')]
    assert tickets == sorted(set(tickets))
    wait_until(lambda: store.durable(tickets[-1]) is Durability.ON_DISK)
    assert {store.durable(ticket) for ticket in tickets} == {Durability.ON_DISK}
    assert store.fault() is None


def test_a_waiting_caller_is_woken(make: Make) -> None:
    woken = threading.Event()
    store = make(woken.set)
    if isinstance(store, FakeStore):
        store.on_disk = 0
    ticket = store.put(NOW, *a_goal('g')[0])
    if store.durable(ticket) is Durability.WAITING:
        if isinstance(store, FakeStore):
            store.commit()
        assert woken.wait(120.0)
    assert store.durable(ticket) is Durability.ON_DISK


def test_what_is_put_last_is_kept_when_it_is_closed(make: Make) -> None:
    store = make(lambda: None)
    ticket = put_all(store, a_goal('g'))
    store.close(NOW, 'done', 60.0)
    assert store.durable(ticket) is Durability.ON_DISK


@pytest.mark.parametrize('durability', Durability)
def test_acts_go_on_only_if_they_are_kept_or_need_not_be(durability: Durability) -> None:
    assert durability.may_act == (durability.name in ('ON_DISK', 'NOT_KEPT'))
