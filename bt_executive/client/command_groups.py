"""The commands by what they are used for, as `:help` shows them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Row = tuple[str, str]  # a command with what follows it, and what it does
GOALS, ROBOT = 'Goals', 'Drive and act'
_GROUPS = (
    ('Stop and resume', 'stop pause resume safe_stop reset'),
    ('Approve, and step', 'pending approve edit reject step next break'),
    (ROBOT, 'goto teleop tool'),
    ('See and remember', 'look watch recall remember episodes'),
    ('Look things up', 'status state tree trace skills cost topic'),
    ('This console', 'help quit fault'),
)
_GROUP_OF = {f':{word}': title for title, words in _GROUPS for word in words.split()}


def grouped(rows: Sequence[Row], goals: Collection[str]) -> list[tuple[str, list[Row]]]:
    """Return the groups with their rows, each in order; `goals` are the names of templates.

    A command that no group names is a tool of this robot.
    """
    titles = [*(title for title, _ in _GROUPS), GOALS]
    found: dict[str, list[Row]] = {title: [] for title in titles}
    for row in rows:
        word = row[0].partition(' ')[0]
        is_goal = word[1:] in goals or word == ':demo'
        found[GOALS if is_goal else _GROUP_OF.get(word, ROBOT)].append(row)
    return [(title, rows) for title, rows in found.items() if rows]
