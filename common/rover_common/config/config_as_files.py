"""A configuration as the files of a folder that loads as it again."""

from __future__ import annotations

from typing import Any

from rover_common.config.robot_examples import robot_examples
from rover_common.config.robot_file import EXAMPLE_FILES
from rover_common.config.settings import Config


def files_of(config: Config) -> dict[str, Any]:
    """Path below the folder, without `.yaml` → content.

    robot.yaml, a section each, the world, and the examples of all files together.

    Raises:
        ConfigError: A file with examples cannot be read.
    """
    files = config.model_dump(mode='json', by_alias=True)
    curiosity, robot = files.pop('curiosity'), files.pop('robot')
    rover = curiosity['rover']
    world, name = rover['world'], rover['world'].pop('name')
    rover['world'] = name
    with_files = robot.pop(EXAMPLE_FILES)
    whole = {'robot': robot.pop('name'), 'extends': '', **robot, 'curiosity': curiosity}
    found = {f'worlds/{name}': world, 'robot': whole, **files}
    if with_files:
        found['examples'] = robot_examples(config.robot).content
    return found
