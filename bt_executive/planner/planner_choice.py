"""Chooses the planner that the configuration names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bt_executive.core.executive_ports import Planner
from bt_executive.planner.configured_model_check import check_provider
from bt_executive.planner.library_loading import why_not_installed
from bt_executive.planner.plugged_planner import plugged_planner
from bt_executive.planner.rosa_planner import RosaPlanner
from rover_common.config.robot_examples import RobotExamples, robot_examples
from rover_common.config.settings import Config, PlannerSettings, Robot
from rover_common.errors import ConfigError
from rover_common.llm.model_source import ModelInfo, ModelSource
from rover_common.llm.providers.catalogue import (
    CATALOGUE,
    access,
    is_server_of_ones_own,
    make_model,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from bt_executive.planner.exchange_record import Recorder


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
    is_recorded = settings.record and settings.provider != 'recorded'
    recorder = _recorder(Path(settings.record)) if is_recorded else None
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
        where = access(settings, environment)
        is_ones_own = is_server_of_ones_own(settings)
        return ModelSource(
            name,
            partial(make_model, settings, where),
            where.secret,
            reports_ending=True,
            calls_tools=info.calls_tools if info else None,
            takes_bounds=is_ones_own,
            is_ones_own=is_ones_own,
            window=settings.context_tokens or (info.window if info else None),
        )
    if name == 'recorded':
        return ModelSource(name, _recorded(settings))
    examples = None if robot is None else robot_examples(robot)
    return ModelSource(name, partial(_offline, robot, examples))


def _recorder(path: Path) -> Recorder:
    from bt_executive.planner.exchange_record import Recorder

    return Recorder(path)


def _recorded(settings: PlannerSettings) -> Callable[[], BaseChatModel]:
    """Return the record, read at once, so that a fault in it is reported at the start."""
    from bt_executive.planner.exchange_record import load_record

    if not settings.record:
        raise ConfigError('executive.yaml: provider recorded plays planner.record: set it.')
    record = load_record(Path(settings.record))
    return lambda: record


def _offline(robot: Robot | None, examples: RobotExamples | None) -> BaseChatModel:
    from bt_executive.planner.offline.chat_model import OfflineChatModel

    if robot is None or examples is None:
        return OfflineChatModel()
    return OfflineChatModel(
        examples=dict(examples.tools),
        resources={name: skill.resources_required for name, skill in robot.tools.items()},
        no_tool=examples.no_tool,
        model=examples.model,
    )
