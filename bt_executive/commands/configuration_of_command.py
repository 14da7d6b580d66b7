"""The configuration of a command, with what its options and ROS arguments say of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
import re

from rover_common.config.load import load_config
from rover_common.config.settings import Config

AGENT_PARAMETER = re.compile(r'(?:\S+:)?agent_(verbose|rich_ui):=(\S+)')


def read_configuration(options: argparse.Namespace, ros_arguments: Sequence[str]) -> Config:
    """The configuration files, with all that overrides them.

    Raises:
        ConfigError: They cannot be used.
    """
    return load_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])


def overrides(options: argparse.Namespace) -> list[str]:
    """What overrides the configuration files."""
    journal = getattr(options, 'journal', None)
    own = [f'journal.file={json.dumps(journal, ensure_ascii=False)}'] if journal else []
    return [*options.set, *own]


def agent_overrides(ros_arguments: Sequence[str]) -> list[str]:
    """What ROS arguments say of the agent, which the console heeds as the executive does."""
    found = [match for each in ros_arguments if (match := AGENT_PARAMETER.fullmatch(each))]
    return [f'executive.agent.{match[1]}={match[2]}' for match in found]


def configuration_arguments(options: argparse.Namespace) -> list[str]:
    """The options that every process reads for itself."""
    arguments = [] if options.config is None else ['--config', str(options.config)]
    for override in overrides(options):
        arguments += ['--set', override]
    return arguments
