"""For the properties: rehearsals of the whole tree, and any state that the types allow."""

from __future__ import annotations

from collections.abc import Callable

from any_value import ZONES, every_field
from hypothesis import strategies as st
import pytest
from rehearsal import Rehearsal
from tree_bench import MakeBench

from bt_executive.core.round_decision import RoundSummary
from bt_executive.core.state import BrainState
from rover_common.config.settings import KeepOutZone

st.register_type_strategy(KeepOutZone, ZONES)
st.register_type_strategy(BrainState, every_field(BrainState))
st.register_type_strategy(RoundSummary, every_field(RoundSummary))


@pytest.fixture(scope='session')
def rehearsal(bench: MakeBench) -> Callable[..., Rehearsal]:
    """Makes a rehearsal: `rehearsal(overrides=['variant=A'])`."""
    return lambda overrides=(): Rehearsal(bench(overrides=overrides))
