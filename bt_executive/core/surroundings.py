"""What the state tells of the surroundings, put together from what was measured and told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bt_executive.core.state import WorldState

MOST_NAMED = 5  # zones, in the summary
MOST_OBSTACLES = 20  # latest places where a drive was blocked


def with_changes(world: WorldState, **changes: Any) -> WorldState:
    """The world with these fields, and a summary that fits them."""
    changed = replace(world, **changes)
    return replace(changed, summary=_summary(changed))


def with_obstacle(world: WorldState, obstacle: dict[str, Any]) -> WorldState:
    """The world with one more place where a drive was blocked; the latest are kept."""
    return with_changes(world, obstacles=(*world.obstacles, obstacle)[-MOST_OBSTACLES:])


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
    if world.obstacles:
        times, reason = len(world.obstacles), world.obstacles[-1].get('reason', '')
        count = 'once' if times == 1 else f'{times} times'
        parts.append(f'Drives were blocked {count}, the last one: {reason}')
    return ' '.join(parts)
