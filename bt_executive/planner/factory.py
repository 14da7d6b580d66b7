"""Chooses the planner that the configuration names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
from pathlib import Path

from bt_executive.core.ports import Planner
from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.preflight import check_provider
from bt_executive.planner.record import Recorder, load_record
from bt_executive.planner.rosa_planner import RosaPlanner
from rover_common.config.settings import Config, PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.providers.catalogue import CATALOGUE, access, make_model
from rover_common.llm.source import ModelSource


def make_planner(config: Config, wake: Callable[[], None]) -> Planner:
    """The planner for this configuration, ready for its first goal.

    Args:
        config: The whole configuration; `executive.planner.provider` names the model.
        wake: Called from a worker thread whenever `poll` has something new.

    Raises:
        ConfigError: The model cannot be had; the text says what to do.
    """
    settings = config.executive.planner
    check_provider(settings)
    source = make_source(settings, os.environ)
    recording = settings.record and settings.provider != 'recorded'
    recorder = Recorder(Path(settings.record)) if recording else None
    return RosaPlanner(source, config, wake, recorder)


def make_source(settings: PlannerSettings, environment: Mapping[str, str]) -> ModelSource:
    """The model that the configuration names; nobody is asked yet.

    Raises:
        ConfigError: Something that the provider needs is missing.
    """
    name = settings.provider
    if name in CATALOGUE:
        where = access(settings, environment)
        return ModelSource(name, make_model(settings, where), where.secret, tells_end=True)
    if name == 'recorded':
        if not settings.record:
            raise ConfigError('executive.yaml: provider recorded plays planner.record: set it.')
        return ModelSource(name, load_record(Path(settings.record)))
    return ModelSource(name, OfflineChatModel())
