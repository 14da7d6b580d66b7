"""The latest stop of a page counts, whatever comes late or is no number."""

from __future__ import annotations

import uuid

import pytest

from bt_executive.web import stops_of_pages
from bt_executive.web.stops_of_pages import StopsOfPages

ONE, OTHER = (str(uuid.UUID(int=number)) for number in (1, 2))


def test_a_stop_that_comes_late_or_twice_changes_nothing() -> None:
    it = StopsOfPages()
    for number in (2, 1, 2):
        it.note(f'{ONE} {number}')
    assert [it.has_stopped_since(ONE, number) for number in (0, 1, 2)] == [True, True, False]
    assert not it.has_stopped_since(OTHER, 0)


@pytest.mark.parametrize(
    'text', ['', 'x', ONE, f'{ONE} -1', f'{ONE} 1 2', f'{ONE} ١', f'{ONE} {"9" * 5000}', '../ 1']
)
def test_what_is_no_number_of_a_page_is_ignored(text: str) -> None:
    it = StopsOfPages()
    it.note(text)
    assert not it.has_stopped_since(ONE, 0)


def test_the_page_that_stopped_least_recently_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops_of_pages, 'MAX_PAGES', 2)
    it, pages = StopsOfPages(), [str(uuid.UUID(int=number)) for number in range(3)]
    for number in (0, 1, 0, 2):
        it.note(f'{pages[number]} 1')
    assert [it.has_stopped_since(each, 0) for each in pages] == [True, False, True]
