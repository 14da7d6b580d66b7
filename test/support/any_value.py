"""Strategies for dataclasses of ours: every field set, from the types of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from bt_executive.core.round_decision import PlannerEnd
from bt_executive.core.state import DecisionType
from rover_common.config.settings import KeepOutZone
from rover_common.config.settings.keep_out_zone import FARTHEST_CORNER_M
from rover_common.reason import Reason

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=2,
)
ENDS_OF_ERRORS = [
    DecisionType.RETRY,
    DecisionType.REPLAN,
    DecisionType.ASK_HUMAN,
    DecisionType.ABORT,
]
NAMED: dict[str, st.SearchStrategy[Any]] = {
    'battery_state': st.sampled_from(['UNKNOWN', 'OK', 'LOW', 'LOST']),
    'safety_reason': st.just('') | st.text(max_size=8),
    'mapped': st.none() | st.sampled_from(ENDS_OF_ERRORS),
    'attempt': st.integers(1, 3),
    'planner_end': st.none()
    | st.builds(Reason, code=st.sampled_from(PlannerEnd), sentence=st.text(max_size=8)),
}


FINITE = st.floats(allow_nan=False, allow_infinity=False)
CORNER = st.floats(-FARTHEST_CORNER_M, FARTHEST_CORNER_M)
ZONES = st.builds(
    KeepOutZone,
    name=st.text(max_size=8),
    polygon=st.lists(st.tuples(CORNER, CORNER), min_size=3, max_size=4).map(tuple),
)


def every_field(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Dataclasses of a kind with every field set, from the types of its fields."""
    hints = get_type_hints(kind)
    given = {each.name: _values(each.name, hints[each.name]) for each in fields(kind)}
    return st.builds(kind, **given)


def _values(name: str, hint: Any) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if name in NAMED:
        return NAMED[name]
    if origin in (Union, UnionType):
        return st.one_of(*(_values('', each) for each in arguments))
    if hasattr(hint, '_fields'):  # of a named tuple
        each_of = get_type_hints(hint).items()
        return st.builds(hint, **{field: _values(field, each) for field, each in each_of})
    if origin is tuple and arguments[-1] is not Ellipsis:
        return st.tuples(*(_values('', each) for each in arguments))
    if origin is tuple:
        return st.lists(_values('', arguments[0]), max_size=1).map(tuple)
    if origin in (dict, Mapping):
        return st.dictionaries(st.text(max_size=8), _values('', arguments[1]), max_size=1)
    if hint is Any:
        return JSON
    if hint is float:
        return FINITE
    if is_dataclass(hint) and isinstance(hint, type):
        return every_field(hint)
    return st.from_type(hint)
