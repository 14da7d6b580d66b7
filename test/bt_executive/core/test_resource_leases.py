"""Leases on resources."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.call_table import Leases
from rover_common.errors import ProtocolError

calls = st.sampled_from(['a', 'b', 'c'])
wanted = st.lists(st.sampled_from(['base', 'mast', 'camera']), unique=True)


@given(st.lists(st.one_of(st.tuples(calls, wanted), calls), max_size=30))
def test_a_resource_never_changes_hands_without_a_release(
    steps: list[str | tuple[str, list[str]]],
) -> None:
    leases = Leases()
    for step in steps:
        before = dict(leases.holders)
        if isinstance(step, str):
            leases.release(step)
            assert leases.holders == {key: held for key, held in before.items() if held != step}
            continue
        call, resources = step
        if leases.conflicts(call, resources):
            with pytest.raises(ProtocolError, match='held by'):
                leases.acquire(call, resources)
            assert leases.holders == before
        else:
            leases.acquire(call, resources)
            assert leases.holders == before | dict.fromkeys(resources, call)


def test_a_call_may_take_again_what_it_holds() -> None:
    leases = Leases()
    leases.acquire('a', ['base'])
    leases.acquire('a', ['base', 'mast'])
    assert leases.holders == {'base': 'a', 'mast': 'a'}
