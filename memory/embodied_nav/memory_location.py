"""The store of a rover's memory, and the number of its map."""

from __future__ import annotations

from collections.abc import Mapping
import zlib

from rover_common.config.settings import Config
from rover_common.process.path_option import named_path
from rover_common.process.user_folders import state_folder
from rover_common.ros.ros_arguments import domain_of

SUFFIX = '.sqlite'
LARGEST_EPOCH = 2**31 - 1


def memory_store(config: Config, environment: Mapping[str, str], node: str = '/memory') -> str:
    """Return the configured store; else a file for this rover beside the journal.

    Args:
        config: May name the store.
        environment: Names the user's folder for state, and the ROS domain.
        node: Full name of the memory's node: rovers in namespaces have a memory each.
    """
    named, journal = config.executive.memory.store, config.executive.journal.file
    if named:
        return named
    folder = named_path(journal).parent if journal else state_folder(environment)
    name = f'{domain_of(environment)}.{node.strip("/").replace("/", ".")}{SUFFIX}'
    return str(folder / name)


def map_epoch(config: Config) -> int:
    """Return the number of the map that the world frame belongs to.

    As configured; else one per simulated world: what was seen in another world is not found in
    this one.
    """
    configured = config.executive.memory.map_epoch
    if configured is not None:
        return configured
    rover = config.curiosity.rover
    seed = rover.world.seed if rover.seed is None else rover.seed
    return zlib.crc32(f'{rover.world.name}/{seed}'.encode()) & LARGEST_EPOCH
