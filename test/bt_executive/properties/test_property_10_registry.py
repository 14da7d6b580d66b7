"""Spec 3 property 10: every registered skill has all fields, whatever its entry leaves out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from bt_executive.core.state import SkillDef
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config

SHIPPED = load_config(None, ())
FIELDS = {
    'interface_type': str,
    'args_schema': dict,
    'resources_required': tuple,
    'preemptible': bool,
    'cancel_supported': bool,
    'timeout_s': float,
    'error_map': dict,
}


@settings(deadline=None)
@given(variant=st.sampled_from(['A', 'B']), data=st.data())
@pytest.mark.slow
def test_every_registered_skill_has_all_fields(variant: str, data: st.DataObject) -> None:
    executive = SHIPPED.executive.model_copy(update={'variant': variant})
    registry = Registry(SHIPPED.model_copy(update={'executive': executive}))
    name = data.draw(st.sampled_from(sorted(registry)))
    definition = registry.definitions()[name]
    assert isinstance(definition, SkillDef)
    assert definition.name == name
    assert definition.timeout_s > 0
    for field, kind in FIELDS.items():
        assert isinstance(getattr(definition, field), kind), field
