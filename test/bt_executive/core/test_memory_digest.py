"""What the memory tells of itself may be anything: it comes from outside."""

from __future__ import annotations

import json

import pytest

from bt_executive.core.memory_digest import LONGEST, MOST_PLACES, memory_from_json

BISHOP = {'id': 'n1', 'name': 'Bishop', 'kind': 'rock', 'x': 4, 'y': 1.0, 'radius_m': 0.8}


def test_places_are_taken_with_their_words_made_printable() -> None:
    told = {'summary': 'a\x1b[31m b', 'places': [{**BISHOP, 'name': 'x' * 999, 'more': [1]}]}
    seen = memory_from_json(json.dumps(told))
    assert '\x1b' not in seen.summary
    (place,) = seen.places
    assert (len(place['name']), place['x'], place['state']) == (120, 4.0, '')
    assert 'more' not in place


def test_what_is_no_place_is_left_out() -> None:
    no_numbers = ('a', True, 1e999)
    odd = [7, {}, *({**BISHOP, 'x': each} for each in no_numbers)]
    assert memory_from_json(json.dumps({'places': odd})).places == ()
    assert len(memory_from_json(json.dumps({'places': [BISHOP] * 999})).places) == MOST_PLACES


@pytest.mark.parametrize('text', ['', '[]', '{}', '{"places": 7}', ' ' * (LONGEST + 1)])
def test_what_is_no_digest_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r'\w'):
        memory_from_json(text)
