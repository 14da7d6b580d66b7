"""docs/journal.md names every table, and the limits that the code has."""

from __future__ import annotations

from papers import ROOT

from bt_executive.store.sqlite_opening_and_faults import BUSY_S
from bt_executive.store.store_schema import TABLES
from bt_executive.store.store_writer import CAPACITY
from bt_executive.tree import persistent_state as names

PAGE = (ROOT / 'docs' / 'journal.md').read_text(encoding='utf-8')


def test_every_table_is_explained() -> None:
    assert [name for name in TABLES if f'`{name}`' not in PAGE] == []


def test_every_part_is_explained() -> None:
    parts = (
        *(names.GOALS, names.MODE, names.ROUND, names.CALLS, names.LEASES),
        *(names.SILENT, names.APPROVALS, names.MOTION, names.STEPPING),
    )
    assert [name for name in parts if f'`{name}`' not in PAGE] == []


def test_its_limits_are_those_of_the_code() -> None:
    assert f'more than {BUSY_S:g} s' in PAGE
    assert f'until {CAPACITY:,} changes wait' in PAGE
