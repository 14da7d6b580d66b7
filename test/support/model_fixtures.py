"""Fixtures: planners of every provider over real HTTP, against the model server beside this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
from typing import Any

from model_server import ModelServer
import pytest

from bt_executive.core.executive_ports import Planner
from bt_executive.planner.configured_planner import make_planner
from rover_common.config.load import load_config
from rover_common.config.settings import Config

KEY = 'sk-the-right-key'
KEYS = ('OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY', 'ANTHROPIC_API_KEY')
QUICK = {  # but for limits, which say nothing of the machine: a busy one is no silent provider
    'planner.retry': {'attempts': 3, 'first_wait_s': 0.02, 'longest_wait_s': 0.05},
    'planner.request': {
        'connect_s': 120.0,
        'silence_s': 120.0,
        'whole_s': 120.0,
        'max_bytes': 200_000,
    },
    'planner.circuit': {'failures': 100, 'rest_s': 30.0},
    'planner.constrained': 'never',
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> str:
    for name in KEYS:
        monkeypatch.setenv(name, KEY)
    return KEY


@pytest.fixture
def config_for(server: ModelServer) -> Callable[..., Config]:
    """The configuration for a provider at the server; keywords are keys with _ for dots."""

    def make(provider: str, **overrides: Any) -> Config:
        settings = {
            'planner.provider': provider,
            'planner.model': 'test-model',
            'planner.base_url': server.base_url(provider),
            **QUICK,
            **{name.replace('__', '.'): value for name, value in overrides.items()},
        }
        return load_config(
            overrides=[f'{name}={json.dumps(value)}' for name, value in settings.items()]
        )

    return make


@pytest.fixture
def planner_for(config_for: Callable[..., Config], keys: str) -> Iterator[Callable[..., Planner]]:
    """Makes planners of a provider; closes them afterwards."""
    assert keys
    made: list[Planner] = []

    def make(provider: str, wake: Callable[[], None] = lambda: None, **overrides: Any) -> Planner:
        made.append(make_planner(config_for(provider, **overrides), wake))
        return made[-1]

    yield make
    for planner in made:
        planner.close()
