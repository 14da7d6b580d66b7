"""Fixtures: planners of every provider over real HTTP, against the model server beside this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
from typing import Any

from model_server import ModelServer
import pytest
from waiting import wait_until

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


@pytest.fixture(scope='module')
def module_server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def server(module_server: ModelServer) -> Iterator[ModelServer]:
    yield module_server
    wait_until(lambda: not module_server.open, 'each client has gone')
    module_server.reset()


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


@pytest.fixture(scope='module')
def module_planners() -> Iterator[dict[str, Planner]]:
    """Planners by their settings: to make one takes as long as ten goals."""
    made: dict[str, Planner] = {}
    yield made
    for planner in made.values():
        planner.close()


@pytest.fixture
def planner_for(
    config_for: Callable[..., Config], keys: str, module_planners: dict[str, Planner]
) -> Iterator[Callable[..., Planner]]:
    """Returns planners of a provider; cancels their goals afterwards.

    One that wakes somebody, learns, or keeps what came before is for one test.
    """
    assert keys
    shared: list[Planner] = []
    own: list[Planner] = []

    def give(provider: str, wake: Callable[[], None] | None = None, **overrides: Any) -> Planner:
        key = f'{provider} {json.dumps(overrides, sort_keys=True)}'
        is_own = wake or {'planner__constrained', 'planner__circuit', 'planner__record'} & {
            *overrides
        }
        if not is_own and key in module_planners:
            shared.append(module_planners[key])
            return shared[-1]
        made = make_planner(config_for(provider, **overrides), wake or (lambda: None))
        if not is_own:
            module_planners[key] = made
        (own if is_own else shared).append(made)
        return made

    yield give
    for planner in shared:
        planner.cancel()
        planner.news()
    for planner in own:
        planner.close()
