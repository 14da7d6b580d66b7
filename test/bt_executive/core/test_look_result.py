"""A look is recognised by its result, and its words are shown as they are, within bounds."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.core.look_result import LONGEST_WORDS, LookResult, look_result_of
from rover_common.trace_event import TraceEvent

RESULT = {'stamp': 77.0, 'answer': 'Two rocks.', 'measured': {'brightness': 0.4}, 'episode': 3}


def event(result: Any, ok: bool = True) -> TraceEvent:
    return TraceEvent(
        'e', 80.0, 'RESULT', 'look: Two rocks.', 'look', ok=ok, data={'result': result}
    )


def test_a_look_tells_its_picture_and_its_words() -> None:
    assert look_result_of(event(RESULT)) == LookResult(77.0, 0.4, 'Two rocks.')


def test_words_of_a_model_are_one_bounded_line() -> None:
    looked = look_result_of(event(RESULT | {'answer': 'a\nb' * LONGEST_WORDS}))
    assert looked is not None
    assert '\n' not in looked.words
    assert len(looked.words) == LONGEST_WORDS


@pytest.mark.parametrize(
    'result',
    [
        None,
        'rocks',
        {},
        RESULT | {'stamp': 0.0},  # of a screen
        RESULT | {'stamp': 'now'},
        RESULT | {'stamp': float('nan')},
        RESULT | {'stamp': 10**400},
        RESULT | {'measured': {}},
        RESULT | {'measured': 'much'},
        RESULT | {'measured': {'brightness': True}},
        RESULT | {'measured': {'brightness': 10**400}},
        RESULT | {'answer': None},
    ],
    ids=lambda each: f'{each!r:.70}',
)
def test_other_results_are_no_looks(result: Any) -> None:
    assert look_result_of(event(result)) is None


def test_a_look_that_failed_shows_nothing() -> None:
    assert look_result_of(event(RESULT, ok=False)) is None
