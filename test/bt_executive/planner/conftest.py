"""Planners of a test, closed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from langchain_core.language_models import BaseChatModel
from model_fixtures import (  # noqa: F401 - fixtures
    config_for,
    keys,
    module_planners,
    module_server,
    planner_for,
    server,
)
import offline_tools
import pytest

from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.rosa_planner import RosaPlanner
from rover_common.config.load import load_config
from rover_common.llm.model_source import ModelSource


@pytest.fixture
def offline_model() -> OfflineChatModel:
    return offline_tools.offline_model()


@pytest.fixture
def planner_of() -> Iterator[Callable[..., RosaPlanner]]:
    """Makes planners from models with the shipped prompts; closes them afterwards."""
    made: list[RosaPlanner] = []

    def make(
        model: BaseChatModel,
        wake: Callable[[], None] = lambda: None,
        overrides: Iterable[str] = (),
    ) -> RosaPlanner:
        quick = ('planner.retry={attempts: 3, first_wait_s: 0.01, longest_wait_s: 0.02}',)
        config = load_config(overrides=(*quick, *overrides))
        made.append(RosaPlanner(ModelSource('the model', lambda: model), config, wake))
        return made[-1]

    yield make
    for planner in made:
        planner.close()
