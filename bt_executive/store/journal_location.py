"""Where a robot's journal is, unless somebody names another file."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path

from rover_common.config.settings import Config
from rover_common.process.path_option import named_path
from rover_common.process.user_folders import state_folder
from rover_common.ros.ros_arguments import domain_of

SUFFIX = '.sqlite'
RUN_JOURNAL = 'journal.sqlite'  # of a run that has one of its own, in its folder


def journal_file(
    config: Config, environment: Mapping[str, str], executive: str = '/executive'
) -> Path:
    """The journal's file: the one that option or configuration name, if they do.

    Else it is the robot's own, in the user's folder for state ($XDG_STATE_HOME/bt_executive), by
    the ROS domain, the full name of the executive's node and the name in robot.yaml: what was open
    for one robot is not resumed with another.
    """
    if config.executive.journal.file:
        return named_path(config.executive.journal.file)
    node = executive.strip('/').replace('/', '.')
    name = f'{domain_of(environment)}.{node}.{config.robot.name}{SUFFIX}'
    return state_folder(environment) / name


def without_links(path: Path) -> Path:
    """The file itself: its lock and SQLite's log are named after it, by whatever name it came."""
    return Path(os.path.realpath(path))
