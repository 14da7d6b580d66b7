"""The default location of a robot's journal."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path

from rover_common.config.settings import Config
from rover_common.process.user_paths import named_path, state_folder
from rover_common.ros.ros_arguments import domain_of

SUFFIX = '.sqlite'
RUN_JOURNAL = 'journal.sqlite'  # in the folder of a run with its own journal


def journal_file(
    config: Config, environment: Mapping[str, str], executive: str = '/executive'
) -> Path:
    """Return the journal's file: the configured one, or else the robot's own.

    The robot's own is in the user's state folder ($XDG_STATE_HOME/bt_executive). Its name consists
    of the ROS domain, the full name of the executive's node and the name in robot.yaml, so that
    the open goals of one robot are not resumed with another.
    """
    if config.executive.journal.file:
        return named_path(config.executive.journal.file)
    node = executive.strip('/').replace('/', '.')
    name = f'{domain_of(environment)}.{node}.{config.robot.name}{SUFFIX}'
    return state_folder(environment) / name


def without_links(path: Path) -> Path:
    """Return the file without symbolic links: its lock and SQLite's log are named after it."""
    return Path(os.path.realpath(path))
