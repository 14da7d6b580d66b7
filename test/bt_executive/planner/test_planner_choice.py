from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from bt_executive.planner.configured_planner import check_provider, make_planner, make_source
from bt_executive.planner.rosa_planner import RosaPlanner
from rover_common.config.load import load_config
from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.providers.catalogue import CATALOGUE


def test_every_provider_that_can_be_configured_can_be_made() -> None:
    configurable = get_args(PlannerSettings.model_fields['provider'].annotation)
    assert {*CATALOGUE, 'offline', 'recorded'} == set(configurable)


def test_the_shipped_configuration_makes_a_planner() -> None:
    planner = make_planner(load_config(), lambda: None)
    assert isinstance(planner, RosaPlanner)
    planner.close()


@pytest.mark.parametrize('name', ['', 'none.jsonl'])
def test_a_record_that_is_no_file_is_refused_with_one_sentence(tmp_path: Path, name: str) -> None:
    record = str(tmp_path / name) if name else ''
    overrides = ['planner.provider=recorded', f'planner.record={record}']
    settings = load_config(overrides=overrides).executive.planner
    texts = []
    for read in (check_provider, make_source):
        with pytest.raises(ConfigError, match='record a run with another provider') as refused:
            read(settings, {})
        texts.append(str(refused.value))
    assert texts[0] == texts[1]
    assert repr(record) in texts[0]
