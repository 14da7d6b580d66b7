"""README and docs/ as their reader sees them: fenced blocks, and code within sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
import re
import shlex

ROOT = Path(__file__).resolve().parents[2]
OF_SPEC_5 = ('experiment', 'generate_semantic_forest', 'graph_visualizer')  # its programs
FENCE = re.compile(r'^```([^\n]*)\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SPAN = re.compile(r'`([^`\n]+)`')
# What a reader of a marked block knows: these commands are not in .venv.
MARK = 'On a ROS 2 distribution'
DISTRIBUTION_ONLY = ('ros2', 'rviz2', 'colcon', 'rosdep', 'py-trees-')


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        place: `docs/PAGE.md:12`, the line of its fence.
        kind: What stands behind the fence: sh, yaml, json, or text, which is only looked at.
        before: The last line of text before it.
    """

    place: str
    kind: str
    before: str
    text: str

    @property
    def distribution(self) -> bool:
        """Whether a line before it tells the reader that it needs a ROS 2 distribution."""
        return MARK in self.before and self.before.endswith(':')

    @property
    def commands(self) -> list[str]:
        """The lines that a reader types; comments behind them are his shell's."""
        return [line for line in self.text.splitlines() if line.split('#')[0].strip()]


@dataclass(frozen=True)
class Span:
    """Code within a sentence."""

    place: str
    text: str


def pages() -> list[Path]:
    """README and everything beside it and in docs/ that tells people what to do."""
    top = [page for page in sorted(ROOT.glob('*.md')) if page.name != 'CHANGELOG.md']
    return [*top, *sorted((ROOT / 'docs').rglob('*.md'))]


@cache
def blocks() -> tuple[Block, ...]:
    """Every fenced block of every page."""
    return tuple(block for page in pages() for block in _blocks(page))


@cache
def spans() -> tuple[Span, ...]:
    """Every piece of code within the sentences of every page."""
    return tuple(span for page in pages() for span in _spans(page))


def needs_distribution(command: str) -> bool:
    """Whether a command's program comes with a ROS 2 distribution only."""
    return any(word.startswith(DISTRIBUTION_ONLY) for word in _programs(command))


def _programs(command: str) -> Iterator[str]:
    """The program of each part of a pipe, without the path."""
    for part in command.split('|'):
        try:
            words = [word for word in shlex.split(part, comments=True) if '=' not in word]
        except ValueError:
            continue  # no shell would take it: it is no command
        yield from (Path(word).name for word in words[:1])


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding='utf-8')
    for match in FENCE.finditer(text):
        before = text[: match.start()]
        last = before.rstrip().rpartition('\n')[2]
        place = f'{page.relative_to(ROOT)}:{before.count(chr(10)) + 1}'
        yield Block(place, match[1], last, match[2])


def _spans(page: Path) -> Iterator[Span]:
    text = page.read_text(encoding='utf-8')
    without_blocks = FENCE.sub(lambda match: '\n' * match[0].count('\n'), text)
    for match in SPAN.finditer(without_blocks):
        line = without_blocks[: match.start()].count('\n') + 1
        yield Span(f'{page.relative_to(ROOT)}:{line}', match[1])
