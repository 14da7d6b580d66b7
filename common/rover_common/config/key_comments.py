"""What the shipped configuration says about its keys, in the comments behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
import re

import yaml

from rover_common.config.robot_file import ROBOT_FILE, default_folder
from rover_common.config.yaml_text import FastLoader

COMMENT = re.compile(r'\s*#\s*(.*)')


def comment(path: tuple[str, ...]) -> str:
    """The comment of a key, by file, sections and key; empty if it has none."""
    return _comments_of(path[0]).get(path, '')


@cache
def _comments_of(section: str) -> dict[tuple[str, ...], str]:
    path = default_folder() / f'{section}.yaml'
    own_file = path.exists()
    text = (path if own_file else default_folder() / ROBOT_FILE).read_text(encoding='utf-8')
    start = (section,) if own_file else ()
    return dict(_comments(yaml.compose(text, FastLoader), text.splitlines(), start))


def _comments(
    node: yaml.Node | None, lines: Sequence[str], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        here = (*path, key.value)
        end = value.end_mark if value.start_mark.line == key.start_mark.line else key.end_mark
        match = COMMENT.fullmatch(lines[end.line][end.column :].lstrip(':'))
        if match:
            yield here, match[1]
        yield from _comments(value, lines, here)
