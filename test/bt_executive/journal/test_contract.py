"""What every journal does, the fake one too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import threading

from journals import NOW, a_goal, end, put_all, start
import pytest
from waiting import wait_until

from bt_executive.core.fakes import FakeJournal
from bt_executive.core.journal import Durability, Journal

Make = Callable[[Callable[[], None]], Journal]


@pytest.fixture(params=['file', 'fake'])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Journal] = []

    def of_file(wake: Callable[[], None]) -> Journal:
        made.append(start(tmp_path / 'j.sqlite', wake=wake).journal)
        return made[-1]

    yield of_file if request.param == 'file' else FakeJournal
    for journal in made:
        end(journal)


def test_tickets_grow_and_all_become_durable(make: Make) -> None:
    journal = make(lambda: None)
    tickets = [journal.put(NOW, record) for record in a_goal('g')]
    assert tickets == sorted(set(tickets))
    wait_until(lambda: journal.durable(tickets[-1]) is Durability.ON_DISK)
    assert {journal.durable(ticket) for ticket in tickets} == {Durability.ON_DISK}
    assert journal.fault() is None


def test_who_is_told_to_wait_is_woken(make: Make) -> None:
    woken = threading.Event()
    journal = make(woken.set)
    if isinstance(journal, FakeJournal):
        journal.on_disk = 0
    ticket = journal.put(NOW, a_goal('g')[0])
    if journal.durable(ticket) is Durability.WAITING:
        if isinstance(journal, FakeJournal):
            journal.commit()
        assert woken.wait(120.0)
    assert journal.durable(ticket) is Durability.ON_DISK


def test_what_is_put_last_is_kept_when_it_is_closed(make: Make) -> None:
    journal = make(lambda: None)
    ticket = put_all(journal, a_goal('g'))
    journal.close(NOW, 'done', 60.0)
    assert journal.durable(ticket) is Durability.ON_DISK


@pytest.mark.parametrize('durability', Durability)
def test_acts_go_on_only_if_they_are_kept_or_need_not_be(durability: Durability) -> None:
    assert durability.may_act == (durability.name in ('ON_DISK', 'NOT_KEPT'))
