"""Spec 3 property 2: a state written as JSON and read again is the same state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.state import BrainState, state_from_json, state_to_json


@pytest.mark.slow
@given(state=st.from_type(BrainState))
def test_a_state_survives_json(state: BrainState) -> None:
    text = state_to_json(state)
    again = state_from_json(text)
    assert again == state
    assert state_to_json(again) == text
