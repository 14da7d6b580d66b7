"""The folder of a robot's vision: settings.db, episodes.sqlite, pictures/, token, port."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rover_common.config.settings import Config
from rover_common.process.user_paths import named_path, state_folder
from rover_common.ros.ros_arguments import domain_of

SETTINGS_FILE = 'settings.db'
EPISODES_FILE = 'episodes.sqlite'
PICTURES = 'pictures'
PORT_FILE = 'port'  # has the current port of the gateway
SUFFIX = '.vision'


def vision_folder(config: Config, environment: Mapping[str, str], namespace: str = '/') -> Path:
    """Return the configured folder; by default beside the executive's journal.

    Each robot has its own, like its journal: by ROS domain and namespace.
    """
    if config.vision.folder:
        return named_path(config.vision.folder)
    journal = config.executive.journal.file
    if journal:
        path = named_path(journal)
        return path.with_name(f'{path.stem}{SUFFIX}')
    robot = '.'.join(part for part in (*namespace.split('/'), 'executive') if part)
    return state_folder(environment) / f'{domain_of(environment)}.{robot}{SUFFIX}'
