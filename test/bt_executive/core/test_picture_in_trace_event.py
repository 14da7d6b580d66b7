"""Pictures and scores are recognised by results; descriptions are shown in bounds."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.core.picture_in_trace_event import (
    MAX_DESCRIPTION_CHARS,
    JudgedPicture,
    judged_picture_of,
)
from rover_common.trace_event import TraceEvent

RESULT = {'stamp': 77.0, 'answer': 'Two rocks.', 'measured': {'brightness': 0.4}, 'episode': 3}


def event(result: Any, ok: bool | None = True, score: float | None = None) -> TraceEvent:
    data = {'result': result}
    return TraceEvent(
        'e', 80.0, 'RESULT', 'look: Two rocks.', 'look', ok=ok, score=score, data=data
    )


def test_a_look_tells_its_picture_and_its_words() -> None:
    assert judged_picture_of(event(RESULT)) == JudgedPicture(77.0, 0.4, words='Two rocks.')


def test_words_of_a_model_are_one_bounded_line() -> None:
    looked = judged_picture_of(event(RESULT | {'answer': 'a\nb' * MAX_DESCRIPTION_CHARS}))
    assert looked is not None
    assert '\n' not in looked.words
    assert len(looked.words) == MAX_DESCRIPTION_CHARS


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
    assert judged_picture_of(event(result)) is None


@pytest.mark.parametrize('ok', [False, None])
def test_what_is_not_known_to_have_succeeded_shows_nothing(ok: bool | None) -> None:
    assert judged_picture_of(event(RESULT, ok=ok)) is None
    assert judged_picture_of(event({'stamp': 77.0}, ok=ok, score=0.9)) is None


@pytest.mark.parametrize('good', [True, False, None])
def test_a_score_is_that_of_its_picture(good: bool | None) -> None:
    scored = event({'stamp': 77, 'is_good': good}, score=0.6)
    assert judged_picture_of(scored) == JudgedPicture(77.0, 0.6, good)


@pytest.mark.parametrize(
    'odd',
    [
        *({'stamp': each} for each in (None, 'now', True, float('nan'), 10**400)),
        {'is_good': 'rather'},
        {'is_good': 1},
    ],
    ids=lambda each: f'{each!r:.50}',
)
def test_what_only_looks_like_a_score_is_of_no_picture(odd: Any) -> None:
    assert judged_picture_of(event({'stamp': 77.0} | odd, score=0.6)) is None
