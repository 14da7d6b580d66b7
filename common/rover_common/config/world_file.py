"""The world of the rover stand-in that a robot's file names: where its file is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rover_common.config.key_lookup import did_you_mean
from rover_common.config.robot_file import default_folder
from rover_common.config.settings.world import NO_WORLD
from rover_common.errors import ConfigError

WORLD = ('curiosity', 'rover', 'world')  # in the file a name, in the tree the world itself


def without_world(raw: dict[str, Any]) -> dict[str, Any]:
    """The defaults of a robot without a simulated world."""
    rover = {**raw['curiosity']['rover'], 'world': {'name': NO_WORLD, 'description': 'No world'}}
    return {**raw, 'curiosity': {**raw['curiosity'], 'rover': rover}}


def world_file(name: str, folder: Path) -> Path:
    """Return the file of the world of this name, or at this path; `folder`: of the robot."""
    if name.endswith('.yaml'):
        return Path(name)
    folders = [folder / 'worlds', default_folder() / 'worlds']
    for path in (place / f'{name}.yaml' for place in folders):
        if path.is_file():
            return path
    names = sorted({path.stem for place in folders for path in place.glob('*.yaml')})
    raise ConfigError(
        f"'rover.world' is {name!r}: there is no such world{did_you_mean(name, names) or '.'} "
        f'There are {", ".join(names)}. Or give the path of a file that ends in .yaml.'
    )
