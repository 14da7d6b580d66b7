"""A configuration as the files of a folder that loads as it again."""

from __future__ import annotations

from typing import Any

from rover_common.config.settings import Config


def files_of(config: Config) -> dict[str, Any]:
    """Path below the folder, without `.yaml` → content: one per section, and one for the world."""
    files = config.model_dump(mode='json')
    rover = files['curiosity']['rover']
    world, name = rover['world'], rover['world'].pop('name')
    rover['world'] = name
    return {f'worlds/{name}': world, **files}
