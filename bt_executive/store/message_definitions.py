"""The text of ROS message types with all they are made of, as MCAP's `ros2msg` schemas want it.

https://mcap.dev/spec/registry#ros2msg: the definition itself, then each type that it uses below a
line of 80 equals signs and `MSG: package/Name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import os
from pathlib import Path
import re
import sys

SEPARATOR = '=' * 80
FIELD = re.compile(r'^\s*((?:[a-z][a-z0-9_]*/)?[A-Z]\w*)(?:\[[^\]]*\])?\s+[a-z]', re.M)


def share_folders() -> tuple[Path, ...]:
    """Where packages keep their definitions: a sourced distribution, and the wheels."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    return tuple(Path(prefix, 'share') for prefix in (*prefixes, sys.prefix) if prefix)


def full_definition(type_name: str, folders: Sequence[Path]) -> str:
    """The text for a type such as `sensor_msgs/msg/LaserScan`.

    Raises:
        LookupError: The definition of the type, or of one that it uses, is not there.
    """
    package, _, name = type_name.split('/')
    texts: dict[str, str] = {}
    _collect(f'{package}/{name}', folders, texts)
    main, *others = texts.items()
    return '\n'.join([main[1], *(f'{SEPARATOR}\nMSG: {each}\n{text}' for each, text in others)])


def _collect(name: str, folders: Sequence[Path], texts: dict[str, str]) -> None:
    if name not in texts:
        texts[name] = text = _read(name, folders)
        for used in _used(name, text):
            _collect(used, folders, texts)


def _used(name: str, text: str) -> Iterator[str]:
    package = name.split('/')[0]
    for match in FIELD.finditer(text):
        used = match.group(1)
        yield used if '/' in used else f'{package}/{used}'


def _read(name: str, folders: Sequence[Path]) -> str:
    package, short = name.split('/')
    for folder in folders:
        path = folder / package / 'msg' / f'{short}.msg'
        if path.is_file():
            return path.read_text(encoding='utf-8')
    raise LookupError(f'there is no {package}/msg/{short}.msg in {", ".join(map(str, folders))}')
