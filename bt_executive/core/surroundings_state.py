"""What is known of the surroundings, a part of the state, with a summary in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rover_common.config.settings import KeepOutZone

MOST_NAMED = 5  # zones, in the summary
MOST_OBSTACLES = 20  # latest places where a drive was blocked
MOST_ROCKS = 20  # remembered ones, the nearest
ROCK = 'rock'  # the kind of remembered things that stand in the way


@dataclass(frozen=True)
class WorldState:
    """What is known of the surroundings."""

    summary: str = ''  # of all this, in sentences
    zones: tuple[str, ...] = ()  # names of all keep-out zones, configured and told
    # where drives were blocked, oldest first: x and y of the robot in m, ts in ROS s, tool and
    # reason; then remembered rocks near the robot: x, y, radius_m and name
    obstacles: tuple[dict[str, Any], ...] = ()
    safety_reason: str = ''  # why SAFE is latched; empty: it is not
    # what the spatial memory has near the robot: id, name, kind, x and y in m, radius_m, state
    places: tuple[dict[str, Any], ...] = ()
    remembered: str = ''  # the memory's own words of it: data, as everything in them was seen
    last_score: float | None = None  # brightness of the latest picture, 0 to 1
    last_is_good: bool | None = None
    last_score_ts: float | None = None  # ROS time in s at which it was told
    keep_out: tuple[KeepOutZone, ...] = ()  # that somebody told, besides the configured ones


def with_changes(world: WorldState, **changes: Any) -> WorldState:
    """The world with these fields, and a summary that fits them."""
    changed = replace(world, **changes)
    return replace(changed, summary=_summary(changed))


def with_obstacle(world: WorldState, obstacle: dict[str, Any]) -> WorldState:
    """The world with one more place where a drive was blocked; the latest are kept."""
    met = [each for each in world.obstacles if 'tool' in each]
    rocks = [each for each in world.obstacles if 'tool' not in each]
    return with_changes(world, obstacles=(*(*met, obstacle)[-MOST_OBSTACLES:], *rocks))


def with_memory(
    world: WorldState, summary: str, places: Sequence[Mapping[str, Any]]
) -> WorldState:
    """The world with what is remembered near the robot; the rocks of it are obstacles, too."""
    met = [each for each in world.obstacles if 'tool' in each]
    rocks = [each for each in places if each.get('kind') == ROCK][:MOST_ROCKS]
    keys = ('x', 'y', 'radius_m', 'name')
    seen = [{key: rock[key] for key in keys if key in rock} for rock in rocks]
    told = tuple(dict(each) for each in places)
    return with_changes(world, obstacles=(*met, *seen), places=told, remembered=summary)


def _summary(world: WorldState) -> str:
    """Sentences; empty while nothing is known."""
    parts = []
    if world.last_score is not None:
        word = 'good' if world.last_is_good else 'too dark'
        parts.append(f'Latest picture: score {world.last_score:.2f}, {word}.')
    if world.zones:
        more = len(world.zones) - MOST_NAMED
        names = ', '.join(world.zones[:MOST_NAMED]) + (f' and {more} more' if more > 0 else '')
        parts.append(f'Keep-out zones: {names}.')
    met = [each for each in world.obstacles if 'tool' in each]
    if met:
        times, reason = len(met), met[-1].get('reason', '')
        count = 'once' if times == 1 else f'{times} times'
        parts.append(f'Drives were blocked {count}, the last one: {reason}')
    if world.remembered:
        parts.append(f'Remembered: {world.remembered}')
    return ' '.join(parts)
