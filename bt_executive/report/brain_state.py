"""The state at each moment, as the page shows it: short, and without what changes all the time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import json
from typing import Any

from bt_executive.recording.formats import TreeTick

LONGEST_VALUE = 200  # characters
MOST_CHARACTERS = 1_500_000  # of all values; beyond it the state is shown at fewer moments
DIGITS = 3  # behind the point
# When something was heard, and what the page shows elsewhere.
LEFT_OUT = frozenset(
    {
        *('robot.pose_at', 'robot.pose_stamp', 'robot.status_at', 'robot.battery_at'),
        *('robot.heard_beat', 'robot.twist', 'messages', 'trace.log', 'world.summary'),
        *('world.places', 'world.remembered'),
    }
)


def state_fields(ticks: Iterable[TreeTick]) -> list[str]:
    """The fields that are shown, in order of their first values."""
    return list(
        dict.fromkeys(path for tick in ticks for path in tick.state if path not in LEFT_OUT)
    )


def shown_states(ticks: Sequence[TreeTick], fields: Sequence[str]) -> list[dict[int, str]]:
    """What is new in the state at each moment: number of the field → text."""
    changes = [_shown_changes(tick, fields) for tick in ticks]
    if sum(len(text) for each in changes for text in each.values()) <= MOST_CHARACTERS:
        return changes
    return _thinned(changes, max(1, MOST_CHARACTERS // (LONGEST_VALUE * len(fields))))


def _thinned(changes: Sequence[dict[int, str]], groups: int) -> list[dict[int, str]]:
    """The same, told at the last moment of each of so many groups."""
    size = len(changes) // groups + 1
    thinned: list[dict[int, str]] = []
    for begin in range(0, len(changes), size):
        group = changes[begin : begin + size]
        together = {number: text for each in group for number, text in each.items()}
        thinned += [*({} for _ in group[1:]), together]
    return thinned


def _shown_changes(tick: TreeTick, fields: Sequence[str]) -> dict[int, str]:
    numbers = {path: number for number, path in enumerate(fields)}
    return {
        numbers[path]: shown_value(value) for path, value in tick.state.items() if path in numbers
    }


def shown_value(value: Any) -> str:
    """A value as short text."""
    text = value if isinstance(value, str) else json.dumps(_rounded(value), ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f'{text[:LONGEST_VALUE]} …'


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
