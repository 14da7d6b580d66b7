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
    """The planner for this configuration, ready for its first goal.

    Args:
        config: The whole configuration; `executive.planner.provider` names the model.
        wake: Called from a worker thread whenever `poll` has something new.

    Raises:
        ConfigError: The model cannot be had; the text says what to do.
    """
    settings = config.executive.planner
    if settings.plugin:
        return plugged_planner(settings.plugin, settings.options, wake)
    warnings: list[str] = []
    if why := why_not_installed():
        warnings.append(why)
    found = check_provider(settings, warn=warnings.append)
    source = make_source(settings, os.environ, config.robot, found)
    recording = settings.record and settings.provider != 'recorded'
    recorder = _recorder(Path(settings.record)) if recording else None
    return RosaPlanner(source, config, wake, recorder, warnings)


def make_source(
    settings: PlannerSettings,
    environment: Mapping[str, str],
    robot: Robot | None = None,
    found: ModelInfo | None = None,
) -> ModelSource:
    """The model that the configuration names; nobody is asked yet, and its library not loaded.

    Args:
        settings: Which one.
        environment: Where keys come from.
        robot: The robot's tools, by whose examples the offline model understands.
        found: What its server has said of the model.

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
            calls_tools=found.calls_tools if found else None,
            takes_bounds=is_ones_own,
            is_ones_own=is_ones_own,
            window=settings.context_tokens or (found.window if found else None),
        )
    if name == 'recorded':
        return ModelSource(name, _recorded(settings))
    examples = None if robot is None else robot_examples(robot)
    return ModelSource(name, partial(_offline, robot, examples))


def _recorder(path: Path) -> Recorder:
    from bt_executive.planner.exchange_record import Recorder

    return Recorder(path)


def _recorded(settings: PlannerSettings) -> Callable[[], BaseChatModel]:
    """The record, read at once: whether it is one is to be known at the start."""
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
