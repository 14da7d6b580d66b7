"""The report of the executive: the latest that could be read, as long as it speaks."""

from __future__ import annotations

import pytest

from curiosity_viz.markers import GREEN, ORANGE, Marker
from curiosity_viz.mode_and_requests import (
    SILENT_AFTER_S,
    ExecutiveReport,
    ExecutiveView,
    Request,
    sign_markers,
)
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform

THRESHOLDS = load_config().thresholds


GOOD = THRESHOLDS.quality.score_threshold


def named(markers: list[Marker], name: str) -> list[Marker]:
    return [marker for marker in markers if marker.name == name]


def request(number: int) -> Request:
    return Request(f'ask-{number}', 'move_nudge', {'n': number})


def test_it_is_silent_at_first_and_after_a_while() -> None:
    view = ExecutiveView()
    assert view.report(0.0) == ExecutiveReport()
    view.update_state('EXEC', '', 100.0)
    assert view.report(100.0 + SILENT_AFTER_S).mode == 'EXEC'
    assert view.report(100.1 + SILENT_AFTER_S) == ExecutiveReport()


def test_requests_are_counted_beyond_three_and_end_with_the_next_message() -> None:
    view = ExecutiveView()
    view.update_state('EXEC', '', 0.0)
    view.update_requests([request(number) for number in range(5)])
    *lines, rest = view.report(0.0).requests
    assert [line.split(': ')[1] for line in lines] == [f'move_nudge(n={n})' for n in range(3)]
    assert rest == 'and 2 more'
    view.update_requests([])
    assert view.report(0.0).requests == ()


@pytest.mark.parametrize('mode', ['', 'exec', '\x00', 'M' * 2_000_000])
def test_what_is_no_mode_is_refused_and_the_last_one_holds(mode: str) -> None:
    view = ExecutiveView()
    view.update_state('EXEC', '', 0.0)
    with pytest.raises(ValueError, match='it can be IDLE, EXEC, CHARGE, SAFE'):
        view.update_state(mode, '', 0.0)
    assert view.report(0.0).mode == 'EXEC'


def test_the_score_hangs_over_the_rover_and_turns_green_when_good() -> None:
    for score, colour in ((GOOD, GREEN), (GOOD - 0.1, ORANGE)):
        made = sign_markers(ExecutiveReport('EXEC'), score, GOOD, Transform(4.0, 1.0, 0.5))
        (sign,) = named(made, 'score')
        assert (sign.text, sign.colour) == (f'{score:.2f}', colour)
        assert sign.at[:2] == (4.0, 1.0)


def test_what_waits_for_approval_stands_above_everything_in_order() -> None:
    made = sign_markers(ExecutiveReport('EXEC', '', ('first', 'second')), 0.5, GOOD, None)
    above = sorted(made, key=lambda marker: marker.at[2])
    assert [marker.text for marker in above] == ['EXEC', '0.50', 'second', 'first']
