"""What the state tells of the surroundings, put together from what was measured and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bt_executive.core.state import WorldState

MOST_NAMED = 5  # zones, in the summary
MOST_OBSTACLES = 20  # latest places where a drive was blocked
MOST_ROCKS = 20  # remembered ones, the nearest
ROCK = 'rock'  # the kind of remembered things that stand in the way


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
