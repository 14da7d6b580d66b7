"""The state of the surroundings, a part of the state, with a summary in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rover_common.config.settings import KeepOutZone

MAX_ZONES = 5  # in the summary
MAX_OBSTACLES = 20  # latest places where a drive was blocked
MAX_ROCKS = 20  # nearest ones in the memory
ROCK = 'rock'  # the kind of things in the memory that are obstacles


@dataclass(frozen=True)
class WorldState:
    """The state of the surroundings."""

    summary: str = ''  # of all fields, in sentences
    zones: tuple[str, ...] = ()  # names of all keep-out zones, configured and reported
    # where drives were blocked, oldest first: x and y of the robot in m, ts in ROS s, tool and
    # reason; then remembered rocks near the robot: x, y, radius_m and name
    obstacles: tuple[dict[str, Any], ...] = ()
    safety_reason: str = ''  # why SAFE is latched; empty: it is not
    # what the spatial memory has near the robot: id, name, kind, x and y in m, radius_m, state
    places: tuple[dict[str, Any], ...] = ()
    remembered: str = ''  # the memory's summary: data, as it describes what the robot has seen
    last_score: float | None = None  # brightness of the latest picture, 0 to 1
    last_is_good: bool | None = None
    last_score_ts: float | None = None  # ROS time of it in s
    keep_out: tuple[KeepOutZone, ...] = ()  # reported zones, besides the configured ones


def with_changes(world: WorldState, **changes: Any) -> WorldState:
    """Return the state with changed fields and a new summary."""
    changed = replace(world, **changes)
    return replace(changed, summary=_summary(changed))


def with_obstacle(world: WorldState, obstacle: dict[str, Any]) -> WorldState:
    """Return the state with one more place where a drive was blocked; the latest are kept."""
    blocked = [each for each in world.obstacles if 'tool' in each]
    rocks = [each for each in world.obstacles if 'tool' not in each]
    return with_changes(world, obstacles=(*(*blocked, obstacle)[-MAX_OBSTACLES:], *rocks))


def with_memory(
    world: WorldState, summary: str, places: Sequence[Mapping[str, Any]]
) -> WorldState:
    """Return the state with the memory near the robot; its rocks are obstacles, too."""
    blocked = [each for each in world.obstacles if 'tool' in each]
    rocks = [each for each in places if each.get('kind') == ROCK][:MAX_ROCKS]
    keys = ('x', 'y', 'radius_m', 'name')
    remembered = [{key: rock[key] for key in keys if key in rock} for rock in rocks]
    return with_changes(
        world,
        obstacles=(*blocked, *remembered),
        places=tuple(dict(place) for place in places),
        remembered=summary,
    )


def _summary(world: WorldState) -> str:
    """Return the summary; empty while nothing is known."""
    parts = []
    if world.last_score is not None:
        brightness = 'good' if world.last_is_good else 'too dark'
        parts.append(f'Latest picture: score {world.last_score:.2f}, {brightness}.')
    if world.zones:
        more = len(world.zones) - MAX_ZONES
        names = ', '.join(world.zones[:MAX_ZONES]) + (f' and {more} more' if more > 0 else '')
        parts.append(f'Keep-out zones: {names}.')
    blocked = [each for each in world.obstacles if 'tool' in each]
    if blocked:
        times, reason = len(blocked), blocked[-1].get('reason', '')
        count = 'once' if times == 1 else f'{times} times'
        parts.append(f'Drives were blocked {count}, the last one: {reason}')
    if world.remembered:
        parts.append(f'Remembered: {world.remembered}')
    return ' '.join(parts)
