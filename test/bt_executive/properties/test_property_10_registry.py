"""Spec 3 property 10: a skill without one of its fields is not registered, and is told by name."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
import pytest
import yaml

from bt_executive.core.state import SkillDef
from bt_executive.skills.registry import Registry
from rover_common.config.load import load_config
from rover_common.config.settings import Skills

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
FOLDER = Path(__file__).parents[3] / 'config'
RAW = yaml.safe_load((FOLDER / 'skills.yaml').read_text(encoding='utf-8'))
SKILLS = st.sampled_from(sorted(RAW['skills']))


@settings(deadline=None)
@given(variant=st.sampled_from(['A', 'B']), data=st.data())
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


@settings(deadline=None)
@given(
    gaps=st.dictionaries(
        SKILLS, st.sets(st.sampled_from(sorted(FIELDS)), min_size=1), min_size=1, max_size=3
    )
)
def test_every_missing_field_of_every_skill_is_told_at_once(gaps: dict[str, set[str]]) -> None:
    entries = {
        name: {key: value for key, value in RAW['skills'][name].items() if key not in missing}
        for name, missing in gaps.items()
    }
    with pytest.raises(ValidationError) as caught:
        Skills.model_validate(RAW | {'skills': entries})
    told = {(str(fault['loc'][1]), str(fault['loc'][2])) for fault in caught.value.errors()}
    assert told == {(name, field) for name, missing in gaps.items() for field in missing}
