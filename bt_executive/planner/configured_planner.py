"""The planner that the configuration names: made, its model checked, and tried for `doctor`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
import os
from pathlib import Path
import time
from typing import TYPE_CHECKING, Any

from bt_executive.core.executive_ports import Planner, ToolOffer
from bt_executive.planner.model_message_reading import is_empty
from bt_executive.planner.plugged_planner import plugged_planner
from bt_executive.planner.rosa_planner import RosaPlanner, why_not_installed
from bt_executive.planner.tool_calls_or_schema import ProposalForm
from rover_common.config.robot_examples import robot_examples
from rover_common.config.settings import Config, PlannerSettings, Robot
from rover_common.errors import ConfigError
from rover_common.llm.model_errors import model_error_of
from rover_common.llm.model_source import ModelInfo, ModelSource
from rover_common.llm.providers.catalogue import (
    CATALOGUE,
    LOCAL,
    access,
    is_server_of_ones_own,
    make_model,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def _local(settings: PlannerSettings, environment: Mapping[str, str]) -> ModelInfo:
    from rover_common.llm.gguf_model_server import address_of, local_model

    access(settings, environment)
    address_of(settings)
    model = local_model(settings)
    return ModelInfo(model.sentence, model.gguf.calls_tools, model.context)


def check_provider(
    settings: PlannerSettings,
    environment: Mapping[str, str] = os.environ,
    warn: Callable[[str], None] = lambda _sentence: None,
) -> ModelInfo:
    """Return what is known of the model.

    Args:
        settings: The planner's.
        environment: Where keys come from.
        warn: Receives a sentence about a possible fault that does not prevent the start.

    Raises:
        ConfigError: Package, key, model or server is missing; the text says what to do.
    """
    if settings.provider == 'recorded':
        _record_file(settings)
    if settings.provider not in CATALOGUE:
        return ModelInfo(settings.provider)
    if settings.provider == LOCAL:
        return _local(settings, environment)
    # Its HTTP client is a tenth of all that an executive loads; the offline model needs none.
    from bt_executive.planner.model_server_probe import probe

    return probe(settings, environment, warn)


def make_planner(config: Config, wake: Callable[[], None]) -> Planner:
    """Return the planner for this configuration, ready for its first goal.

    Args:
        config: The whole configuration; `executive.planner.provider` names the model.
        wake: Called from a worker thread whenever `poll` has a new output.

    Raises:
        ConfigError: The model is not available; the text says what to do.
    """
    settings = config.executive.planner
    if settings.plugin:
        return plugged_planner(settings.plugin, settings.options, wake)
    warnings: list[str] = []
    if reason := why_not_installed():
        warnings.append(reason)
    info = check_provider(settings, warn=warnings.append)
    source = make_source(settings, os.environ, config.robot, info)
    recorder = None
    if settings.record and settings.provider != 'recorded':
        from bt_executive.planner.exchange_record import Recorder

        recorder = Recorder(Path(settings.record))
    return RosaPlanner(source, config, wake, recorder, warnings)


def make_source(
    settings: PlannerSettings,
    environment: Mapping[str, str],
    robot: Robot | None = None,
    info: ModelInfo | None = None,
) -> ModelSource:
    """Return the configured model, without a request, and without loading its library.

    Args:
        settings: Which one.
        environment: Where keys come from.
        robot: Has the tools, and their examples for the offline model.
        info: What its server reports about the model.

    Raises:
        ConfigError: Something that the provider needs is missing, or the examples cannot be read.
    """
    name = settings.provider
    if name in CATALOGUE:
        where, known = access(settings, environment), info or ModelInfo(name)
        return ModelSource(
            name,
            partial(make_model, settings, where),
            where.secret,
            is_server_of_ones_own(settings),
            replace(known, window=settings.context_tokens or known.window),
        )
    if name == 'recorded':
        return ModelSource(name, _recorded(settings))
    tools = {} if robot is None else {'examples': robot_examples(robot), 'skills': robot.tools}
    return ModelSource(name, partial(_offline, tools))


def _recorded(settings: PlannerSettings) -> Callable[[], BaseChatModel]:
    """Return the record, read at once, so that a fault in it is reported at the start."""
    from bt_executive.planner.exchange_record import load_record

    record = load_record(_record_file(settings))
    return lambda: record


def _record_file(settings: PlannerSettings) -> Path:
    """Return the record that is played.

    Raises:
        ConfigError: It is no file.
    """
    path = Path(settings.record)
    if not path.is_file():
        raise ConfigError(
            f'executive.yaml: provider recorded plays planner.record, which is '
            f'{settings.record!r} and no file: record a run with another provider first.'
        )
    return path


def _offline(tools: Mapping[str, Any]) -> BaseChatModel:
    from bt_executive.planner.offline.chat_model import OfflineChatModel

    return OfflineChatModel(**tools)


TOKENS = 16  # reasoning models refuse a limit of one
PROMPT = [('user', 'Call ready.')]
TIMEOUT_S = 10.0  # a model may still be loading
READY = ToolOffer('ready', 'Says that you are ready.', {}, 0.0)


def smoke_test(settings: PlannerSettings, environment: Mapping[str, str]) -> str:
    """Return a sentence about the provider's answer.

    Raises:
        ConfigError: The model is not available, or its answer is empty; the text says why.
    """
    from bt_executive.planner.rosa_agent import proxy
    from rover_common.llm.bounded_http import Transport

    notices: list[str] = []
    info = check_provider(settings, environment, notices.append)
    few = settings.model_copy(update={'max_answer_tokens': TOKENS, 'timeout_s': TIMEOUT_S})
    source = make_source(few, environment, info=info)
    form = ProposalForm(
        settings.constrained, source, lambda sentence, _ok: notices.append(sentence)
    )
    transport = Transport(settings.request, check=lambda: None)
    start = time.monotonic()
    transport.deadline = start + settings.request.whole_s
    try:
        with transport.in_use():
            if form.is_constrained:
                message = form.constrained([READY]).invoke(PROMPT)
            else:
                model = source.model.bind_tools([proxy(READY, lambda _call: '')])
                message = model.invoke(PROMPT)
    except Exception as error:  # every client library has its own
        raise ConfigError(model_error_of(error, source.name, source.hide).sentence) from None
    if is_empty(message):
        raise ConfigError(
            f'{info.sentence}: its answer was empty, without a word and without a tool call: look '
            'at the log of its server, or set planner.model to another one.'
        )
    answered = f'{info.sentence}: answered within {time.monotonic() - start:.1f} s'
    return '. '.join([answered, *notices])
