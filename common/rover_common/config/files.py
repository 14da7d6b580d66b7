"""A configuration as the files of a folder that loads as it again."""

from __future__ import annotations

from typing import Any

from rover_common.config.settings import Config


def files_of(config: Config) -> dict[str, Any]:
    """Path below the folder, without `.yaml` → content: robot.yaml, a section each, the world."""
    files = config.model_dump(mode='json', by_alias=True)
    curiosity, robot = files.pop('curiosity'), files.pop('robot')
    rover = curiosity['rover']
    world, name = rover['world'], rover['world'].pop('name')
    rover['world'] = name
    whole = {'robot': robot.pop('name'), 'extends': '', **robot, 'curiosity': curiosity}
    return {f'worlds/{name}': world, 'robot': whole, **files}
