"""The page of the trace has all that an event may say."""

from __future__ import annotations

from pathlib import Path
import re

from bt_executive.core.trace import TraceData, TraceFields

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'trace.md'


def test_the_page_lists_every_key_of_the_trace() -> None:
    tables = re.split(r'\n\| (?:field|event) ', PAGE.read_text(encoding='utf-8'))[1:]
    fields, events = (table.split('\n\n')[0] for table in tables)
    data = ' '.join(row.split('|')[3] for row in events.splitlines()[2:])
    written = {*re.findall(r'`(\w+)`', data)}
    assert {*TraceData.__annotations__} - written == {'tree'}
    assert {*TraceFields.__annotations__} <= {*re.findall(r'`(\w+)`', fields)}
