"""Checks once by HTTP whether a model's server is reachable, accepts the key and has the model.

It sends cheap requests in bounded time. Checks without a request are in `catalogue.access`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import Any

import httpx

from bt_executive.planner.context_and_tools_of_local_models import of_ollama, of_own_server
from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.bounded_http import HEADERS, Transport
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_source import ModelInfo
from rover_common.llm.providers.catalogue import CATALOGUE, KEYLESS, Access, access
from rover_common.text_sanitizing import sanitize_line

TIMEOUT_S = 5.0  # of all requests together
MODELS_NAMED = 8  # in a sentence about a missing model
LONGEST_NAME = 80  # characters of each
LONGEST_LIST = 4_000_000  # bytes of a response


def probe(
    settings: PlannerSettings, environment: Mapping[str, str], warn: Callable[[str], None]
) -> ModelInfo:
    """Return what the server of a provider reports about the model.

    A model that the server does not list is no fault, as many servers accept any name; `warn`
    receives a sentence then.

    Raises:
        ConfigError: Package, key, model or server is missing; the text says what to do.
    """
    where = access(settings, environment)
    name, provider = settings.provider, CATALOGUE[settings.provider]
    path = provider.probe.format(api_version=settings.api_version)
    server = _Server(settings)
    response = server.get(f'{where.url}/{path}', _headers(settings.provider, where))
    variable = provider.key or 'the key'
    if response.status_code in (401, 403):
        raise ConfigError(
            f'{name} at {where.url} refuses the key (HTTP {response.status_code}): check the '
            f'environment variable {variable}.'
        )
    if response.status_code >= 500:
        raise ConfigError(
            f'{name} at {where.url} is out of order (HTTP {response.status_code}): try later, or '
            'set planner.provider=offline.'
        )
    info = ModelInfo(f'{name}, {settings.model} at {where.url}')
    if name == 'ollama':
        return _of_ollama(settings, where, response, server, info)
    if name == 'openai' and response.status_code == 404 and not _looks_like_v1(where.url):
        raise ConfigError(
            f'{where.url}/{path} does not exist (HTTP 404): planner.base_url usually ends in /v1.'
        )
    if name == 'openai' and (models := _names(response, 'data', 'id')):
        _warn_of_other_names(settings, where, models, warn)
    if name == 'openai' and settings.base_url:
        return of_own_server(_json(response), _props(server, where), settings.model, info)
    return info


def _headers(name: str, where: Access) -> dict[str, str]:
    provider = CATALOGUE[name]
    header, before = provider.header
    key = {} if not where.key or where.key == KEYLESS else {header: f'{before}{where.key}'}
    return {**HEADERS, **provider.headers, **key}


class _Server:
    """The server; all requests together take at most `TIMEOUT_S`."""

    def __init__(self, settings: PlannerSettings) -> None:
        self._name = settings.provider
        self._limits = settings.request.model_copy(update={'max_bytes': LONGEST_LIST})
        self._deadline = time.monotonic() + TIMEOUT_S

    def get(self, url: str, headers: Mapping[str, str], **request: Any) -> httpx.Response:
        """Send one request; POST if there is a body."""
        transport = Transport(self._limits, check=lambda: None)
        transport.deadline = self._deadline
        method = 'POST' if request else 'GET'
        try:
            with httpx.Client(transport=transport, timeout=TIMEOUT_S, trust_env=False) as client:
                return client.request(method, url, headers=dict(headers), **request)
        except ModelError as fault:
            is_transient = fault.again
            sentence = self._unreachable(url, fault.sentence) if is_transient else fault.sentence
            raise ConfigError(sentence) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, UnicodeError) as error:
            reason = sanitize_line(str(error), 200) or type(error).__name__
            raise ConfigError(self._unreachable(url, reason)) from None

    def _unreachable(self, url: str, reason: str) -> str:
        return f'{self._name} cannot be reached at {url} ({reason}): {_remedy(self._name)}'


def _remedy(name: str) -> str:
    if name == 'ollama':
        return 'start it with `ollama serve`, or set planner.base_url.'
    return 'check planner.base_url and the network, or set planner.provider=offline.'


def _of_ollama(
    settings: PlannerSettings,
    where: Access,
    listed: httpx.Response,
    server: _Server,
    info: ModelInfo,
) -> ModelInfo:
    models = _names(listed, 'models', 'name')
    if settings.model not in models and f'{settings.model}:latest' not in models:
        raise ConfigError(
            f'Ollama at {where.url} has no model {settings.model!r}: run `ollama pull '
            f'{settings.model}`; it has: {_listed(models)}.'
        )
    shown = server.get(f'{where.url}/api/show', HEADERS, json={'model': settings.model})
    info = of_ollama(_json(shown), info)
    if info.calls_tools is False and settings.constrained == 'never':
        raise ConfigError(
            f'The model {settings.model!r} of Ollama cannot call tools: choose one that can, for '
            f'example {CATALOGUE["ollama"].examples}, or set planner.constrained to auto.'
        )
    return info


def _props(server: _Server, where: Access) -> dict[str, Any]:
    """Return the properties that only llama.cpp serves; empty for any other server."""
    try:
        return _json(server.get(f'{where.url.removesuffix("/v1")}/props', HEADERS))
    except ConfigError:
        return {}


def _warn_of_other_names(
    settings: PlannerSettings, where: Access, models: list[str], warn: Callable[[str], None]
) -> None:
    if settings.model not in models:
        warn(
            f'The list of {settings.provider} at {where.url} does not name the model '
            f'{settings.model!r}; if the server refuses it, set planner.model. It lists: '
            f'{_listed(models)}.'
        )


def _listed(models: list[str]) -> str:
    """Return names of the server's list, sanitized for a terminal."""
    named = [sanitize_line(each, LONGEST_NAME) for each in models[:MODELS_NAMED]]
    more = ['…'] if len(models) > MODELS_NAMED else []
    return ', '.join([*named, *more]) or 'none'


def _names(response: httpx.Response, key: str, name: str) -> list[str]:
    entries = _json(response).get(key)
    listed = entries if isinstance(entries, list) else []
    found = [each.get(name) for each in listed if isinstance(each, dict)]
    return [each for each in found if isinstance(each, str)]


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        value = response.json()
    except (ValueError, RecursionError):  # no JSON, or a thousand brackets
        return {}
    return value if isinstance(value, dict) else {}


def _looks_like_v1(url: str) -> bool:
    return url.rsplit('/', 1)[-1].startswith('v')
