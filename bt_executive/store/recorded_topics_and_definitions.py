"""The topics to record, and the definitions of their types as MCAP `ros2msg` schemas.

Recorded are ours, except some pictures and the streams of viewers. A schema
(https://mcap.dev/spec/registry#ros2msg) is the definition, followed by each nested type after a
line of 80 equals signs and `MSG: package/Name`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import os
from pathlib import Path
import re
import sys
from typing import Any

from rover_common.config.settings import Config

GLOBAL = ('/clock', '/rosout', '/parameter_events', '/diagnostics')  # not in any namespace
OF_EVERY_ROBOT = ('tf', 'tf_static', 'clock')
RECORDING = 'recording'  # the recorder's status on /diagnostics
OWN_TOPICS = ('executive/', 'adapter/')  # all topics below these names
# A stream is open while it has a subscriber: a recorder would keep those of closed viewers open.
STREAMS = ('executive/snapshot_streams/', 'executive/blackboard_streams/')


class RecordedTopics:
    """Selects by name and type. `namespace`: of our nodes, `/` or `/rover1`."""

    def __init__(self, config: Config, namespace: str) -> None:
        self._prefix = namespace.rstrip('/') + '/'
        topics = config.topics
        pictures = {  # of the camera, republished, and those produced only for a subscriber
            topics.images.input_compressed,
            topics.vision.picture,
            topics.images.output_capture_raw,
            topics.rover.image_raw,
        }
        named = set(_names(topics.model_dump())) - pictures
        self._names = {self._full(name) for name in (*named, *OF_EVERY_ROBOT)}
        self._names.update(GLOBAL)
        self._names.update(self._in_ros(name) for name in config.robot.measured_topics)
        self._own = tuple(self._prefix + name for name in OWN_TOPICS)
        self._streams = tuple(self._prefix + name for name in STREAMS)

    def _full(self, name: str) -> str:
        """See `Topics`."""
        return name[1:] if name.startswith('//') else self._prefix + name.removeprefix('/')

    def _in_ros(self, name: str) -> str:
        """The full name of a topic of robot.yaml."""
        return name if name.startswith('/') else self._prefix + name

    def includes(self, topic: str, type_name: str) -> bool:
        """Return whether to record a topic. `topic`: its full name."""
        if '/msg/' not in type_name:
            return False  # a topic of an action
        own = topic.startswith(self._own) and not topic.startswith(self._streams)
        return own or topic in self._names


def _names(value: Any) -> Iterator[str]:
    """Yield the names of all topics in `topics`, without services, actions and frames."""
    if isinstance(value, str):
        yield value
    elif 'kind' not in value:
        for key, item in value.items():
            yield from () if key == 'tf' else _names(item)
    elif value['kind'] == 'topic':
        is_absolute = value['name'].startswith('/') and not value['own']
        yield f'/{value["name"]}' if is_absolute else value['name']


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
        if os.path.isfile(path):  # False, too, where this user may not look
            return path.read_text(encoding='utf-8')
    raise LookupError(f'there is no {package}/msg/{short}.msg in {", ".join(map(str, folders))}')
