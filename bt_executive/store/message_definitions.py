"""Definitions of ROS message types, including nested types, as MCAP `ros2msg` schemas.

https://mcap.dev/spec/registry#ros2msg: the definition, followed by each nested type after a line
of 80 equals signs and `MSG: package/Name`.
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
    """Return the share folders with definitions: those of a sourced distribution and of wheels."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    return tuple(Path(prefix, 'share') for prefix in (*prefixes, sys.prefix) if prefix)


def full_definition(type_name: str, folders: Sequence[Path]) -> str:
    """Return the schema of a type such as `sensor_msgs/msg/LaserScan`.

    Raises:
        LookupError: The definition of the type, or of a nested one, is missing.
    """
    package, _, name = type_name.split('/')
    texts: dict[str, str] = {}
    _collect(f'{package}/{name}', folders, texts)
    main, *others = texts.items()
    nested = (f'{SEPARATOR}\nMSG: {other}\n{text}' for other, text in others)
    return '\n'.join([main[1], *nested])


def _collect(name: str, folders: Sequence[Path], texts: dict[str, str]) -> None:
    if name not in texts:
        texts[name] = text = _read(name, folders)
        for nested in _nested_types(name, text):
            _collect(nested, folders, texts)


def _nested_types(name: str, text: str) -> Iterator[str]:
    package = name.split('/')[0]
    for match in FIELD.finditer(text):
        nested = match.group(1)
        yield nested if '/' in nested else f'{package}/{nested}'


def _read(name: str, folders: Sequence[Path]) -> str:
    package, short = name.split('/')
    for folder in folders:
        path = folder / package / 'msg' / f'{short}.msg'
        if path.is_file():
            return path.read_text(encoding='utf-8')
    raise LookupError(f'there is no {package}/msg/{short}.msg in {", ".join(map(str, folders))}')
