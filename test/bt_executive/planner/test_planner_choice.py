from __future__ import annotations

from typing import get_args

from bt_executive.planner.configured_planner import make_planner
from bt_executive.planner.rosa_planner import RosaPlanner
from rover_common.config.load import load_config
from rover_common.config.settings import PlannerSettings
from rover_common.llm.providers.catalogue import CATALOGUE


def test_every_provider_that_can_be_configured_can_be_made() -> None:
    configurable = get_args(PlannerSettings.model_fields['provider'].annotation)
    assert {*CATALOGUE, 'offline', 'recorded'} == set(configurable)


def test_the_shipped_configuration_makes_a_planner() -> None:
    planner = make_planner(load_config(), lambda: None)
    assert isinstance(planner, RosaPlanner)
    planner.close()
