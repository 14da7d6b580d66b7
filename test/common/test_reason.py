"""A reason is true and unequal to another code, and says its sentence with what belongs to it."""

from __future__ import annotations

from enum import Enum

from hypothesis import given
from hypothesis import strategies as st

from rover_common.reason import Reason, sentence_of


class Cause(Enum):
    ZERO = 0  # a code may be anything, also what is false elsewhere
    ONE = 1


@given(code=st.sampled_from(Cause), sentence=st.text())
def test_every_reason_is_true_so_that_the_first_one_holds(code: Cause, sentence: str) -> None:
    reason = Reason(code, sentence)
    assert (None or reason or Reason(Cause.ONE, 'later')) is reason
    assert sentence_of(reason) == sentence
    assert sentence_of(None) == ''


def test_what_is_said_around_a_reason_leaves_its_code() -> None:
    tilt = Reason(Cause.ZERO, 'it leans')
    assert tilt.prefixed('Stopped').continued('look after it') == Reason(
        Cause.ZERO, 'Stopped: it leans; look after it'
    )
    assert tilt != Reason(Cause.ONE, 'it leans')
