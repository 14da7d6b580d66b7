"""What a page is told: the text that was meant, and nothing that shows it otherwise."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from bt_executive.view.page_data_fields_and_json import to_json

TURNING = '\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c'
UNSHOWN = f'{TURNING}\u200b\ufeff\u00ad\x1b\x07\x9b\0'


@given(st.text(st.characters(codec='utf-8') | st.sampled_from(f'{UNSHOWN}\\"u\n')))
def test_no_mark_turns_or_hides_what_a_page_shows(text: str) -> None:
    (shown,) = json.loads(to_json({'a': [text]}))['a']
    assert not set(shown) & set(UNSHOWN)
    kept = [each for each in text if each.isprintable() or each in '\n\t']
    assert [each for each in shown if each.isprintable() or each in '\n\t'] == kept
