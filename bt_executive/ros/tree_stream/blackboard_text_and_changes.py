"""The blackboard for viewers: bounded texts, lines of names and values, and its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from uuid import UUID

from py_trees.blackboard import ActivityItem, ActivityType

Board = Mapping[str, object]  # key, with its leading slash → value; what a blackboard view shows
ReadBoard = Callable[[], Board]  # called in the tick thread, and only when somebody looks
LONGEST_TEXT = 500  # characters: a viewer shows one line, and a value may be a whole answer
WRITER = 'executive'  # the board has one writer
LONGEST_STREAM = 100  # items that a stream keeps until its next message


def capped(value: object) -> str:
    """The value as text that can be sent, cut where it becomes too long; nothing is a dash.

    A NUL would end the text early for readers in C; lone surrogates are not UTF-8.
    """
    text = value if type(value) is str else '-' if value is None else str(value)
    if not (text.isascii() and text.isprintable()):
        text = text[: LONGEST_TEXT + 1].replace('\0', ' ').encode('utf-8', 'replace').decode()
    return text if len(text) <= LONGEST_TEXT else f'{text[: LONGEST_TEXT - 1]}…'


def key_of(name: str) -> str:
    """The key of a variable that a viewer names: `pose.x` is within `/pose`."""
    return '/' + name.lstrip('/').split('.')[0]


def variable_names(board: Board) -> list[str]:
    """All keys, and below each the fields of its value."""
    names = []
    for key, value in board.items():
        names.append(key)
        names += [f'{key}.{field}' for field in fields_of(value)]
    return names


def board_text(board: Board, names: Iterable[str]) -> str:
    """A line for each variable; one that does not exist shows a dash."""
    rows = [(name, capped(_value_of(board, name)).replace('\n', ' ')) for name in names]
    width = max((len(name) for name, _ in rows), default=0)
    return '\n'.join(f'    {name:<{width}} : {value}' for name, value in rows)


def fields_of(value: object) -> tuple[str, ...]:
    """The names within a value: py_trees_ros finds those of dataclasses with defaults."""
    return tuple(each.name for each in fields(value)) if is_dataclass(value) else ()


def _value_of(board: Board, name: str) -> object:
    value = board.get(key_of(name))
    for field in name.split('.')[1:]:
        value = getattr(value, field) if field in fields_of(value) else None
    return value


def differences(before: Board | None, after: Board) -> Iterator[ActivityItem]:
    """Yields the changes between two readings; none before the first."""
    if before is None:
        return
    for key, value in after.items():
        previous = before.get(key)
        if previous != value:
            kind = ActivityType.INITIALISED if previous is None else ActivityType.WRITE
            yield ActivityItem(
                key=key,
                client_name=WRITER,
                client_id=UUID(int=0),
                activity_type=kind.value,
                previous_value=previous,
                current_value=value,
            )
