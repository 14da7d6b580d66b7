"""The configuration of a command, with the overrides of its options and ROS arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
import re

from rover_common.config.load import load_config
from rover_common.config.settings import Config

AGENT_PARAMETER = re.compile(r'(?:\S+:)?agent_(verbose|rich_ui):=(\S+)')


def read_configuration(options: argparse.Namespace, ros_arguments: Sequence[str]) -> Config:
    """Load the configuration files with all overrides.

    Raises:
        ConfigError: They are invalid.
    """
    return load_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])


def overrides(options: argparse.Namespace) -> list[str]:
    """Return the overrides by options."""
    journal = getattr(options, 'journal', None)
    own = [f'journal.file={json.dumps(journal, ensure_ascii=False)}'] if journal else []
    return [*options.set, *own]


def agent_overrides(ros_arguments: Sequence[str]) -> list[str]:
    """Return the agent's parameters in ROS arguments as overrides, for the console."""
    matches = map(AGENT_PARAMETER.fullmatch, ros_arguments)
    return [f'executive.agent.{match[1]}={match[2]}' for match in matches if match]


def configuration_arguments(options: argparse.Namespace) -> list[str]:
    """Return the options by which every process loads the configuration."""
    arguments = [] if options.config is None else ['--config', str(options.config)]
    for override in overrides(options):
        arguments += ['--set', override]
    return arguments
