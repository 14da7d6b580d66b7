"""What comments, docstrings and pages name: files of the repository and keys of its configuration.

A file counts as there if it lies where its name says, seen from the root or from the file that
names it, or if its name alone says which one is meant. So a file that moves to another folder
leaves right what named it shortly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
import re
from typing import Any

from papers import ROOT
import yaml

WRITTEN = {'.py', '.md', '.yaml', '.toml', '.cfg', '.txt'}
ENDINGS = 'py yaml md txt toml cfg json jsonl xml html svg css js rviz mcap jpg'
FILE = re.compile(
    r'(?<![\w/.:<>{-])((?:[\w.*-]+/)*[\w*-][\w.*-]*'
    rf'\.(?:{ENDINGS.replace(" ", "|")}))\b(?![\w(/])'
)
FOLDER = re.compile(r'`((?:[\w.-]+/)+)`')
LINK = re.compile(r'\]\(([^)#:]+)\)')
DECISION = re.compile(r'\bdecisions?[ /](\d{4})\b')
KEY = re.compile(r'`([a-z_]+(?:\.[a-z0-9_*]+)+)`')
PLACEHOLDER = re.compile(r'\b[A-Z]{4,}\b')
# In Python: comments and texts in three quotes. A `#` inside of other strings counts as a comment,
# which does no harm here; Python's own tokenizer takes thirty times as long.
PROSE = re.compile(r'"""[\s\S]*?"""|#[^\n]*')
NO_KEYS = {'robot', 'state', 'prompts'}  # of robot.yaml: names of modules, too
SECTIONS = {'curiosity', 'executive', 'topics'}  # of robot.yaml
NOT_OURS = {'.git', '.venv', 'build', 'install', 'log', 'runs'}


def files() -> list[Path]:
    """Every file of the repository, below its root."""
    found = (path.relative_to(ROOT) for path in _walk(ROOT))
    return sorted(path for path in found if path.suffix not in {'.pyc', '.log'})


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in NOT_OURS or path.name.endswith(('_cache', '.egg-info')):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def written_for_people(path: Path) -> Iterator[tuple[int, str]]:
    """Lines and texts of a file below the root: pages whole, of other files what is no code."""
    text = (ROOT / path).read_text(encoding='utf-8')
    if path.suffix == '.md':
        yield 1, text
    elif path.suffix == '.py':
        for found in PROSE.finditer(text):
            yield text.count('\n', 0, found.start()) + 1, found.group()
    else:
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line.partition('#')[2]


class Files:
    """The files that there are, by every ending of their paths."""

    def __init__(self, there: list[Path], run: set[str]) -> None:
        self._paths = set(there)
        self._folders = {parent for path in there for parent in path.parents}
        self._run = run  # what a run leaves behind
        self._by_ending: dict[str, set[Path]] = {}
        for path in there:
            for place in range(len(path.parts)):
                self._by_ending.setdefault('/'.join(path.parts[place:]), set()).add(path)

    def has_folder(self, name: str, named_in: Path) -> bool:
        """Whether a folder, named with its last slash, is there."""
        wanted = name.rstrip('/')
        near = _joined(named_in.parent, wanted)
        return near in self._folders or any(
            f'/{each}'.endswith(f'/{wanted}') for each in self._folders
        )

    def has(self, name: str, named_in: Path) -> bool:
        """Whether `name`, written in a file, leads to one file, or as a pattern to any."""
        if name in self._run or PLACEHOLDER.search(name):
            return True
        if '*' in name:
            return any(fnmatchcase(ending, name) for ending in self._by_ending)
        # `robot.yaml` alone is the shipped one, not that of the tests' second robot.
        if {Path(name), Path('config', name), _joined(named_in.parent, name)} & self._paths:
            return True
        meant = self._by_ending.get(name.removeprefix('./'), set())
        near = {path for path in meant if path.parts[0] == named_in.parts[0]}
        return len(meant) == 1 or len(near) == 1


def _joined(folder: Path, name: str) -> Path:
    """A name relative to a folder, without `..`."""
    parts: list[str] = list(folder.parts)
    for part in PurePath(name).parts:
        if part == '..':
            parts = parts[:-1]
        else:
            parts.append(part)
    return Path(*parts)


def keys() -> set[str]:
    """Every dotted key of the shipped configuration, with and without its file.

    And those of the second robot, which docs/your_robot.md leads through.
    """
    found: set[str] = set()
    folders = (ROOT / 'config', ROOT / 'test' / 'support' / 'tiny_robot_config')
    for file in (each for folder in folders for each in folder.glob('*.yaml')):
        content = yaml.safe_load(file.read_text(encoding='utf-8'))
        if file.name == 'robot.yaml':  # its sections stand in files of their own as well
            for name in NO_KEYS & content.keys():
                del content[name]
            inside = [*_keys(content)]
            for name in SECTIONS & content.keys():
                inside += _keys(content[name])
            found |= {*inside}
            continue
        inside = list(_keys(content))
        found |= {*inside, *(f'{file.stem}.{each}' for each in inside)}
    return found


def _keys(content: Any, above: tuple[str, ...] = ()) -> Iterator[str]:
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield '.'.join((*above, str(key)))
            yield from _keys(value, (*above, str(key)))


def is_key(name: str, known: set[str]) -> bool:
    """Whether a dotted name, perhaps with `*`, is a key."""
    return any(fnmatchcase(each, name) for each in known)
