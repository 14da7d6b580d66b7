"""Which topics a recording takes: ours, but for some pictures and viewers' streams. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rover_common.config.settings import Topics

GLOBAL = ('/clock', '/rosout', '/parameter_events', '/diagnostics')  # not in any namespace
OF_EVERY_ROBOT = ('tf', 'tf_static', 'clock')
RECORDING = 'recording'  # how it goes: the recorder's part on /diagnostics
OWN_TOPICS = ('executive/', 'adapter/')  # whatever these offer below their names
# A stream is open while somebody listens: a recorder would keep those of viewers that are gone.
STREAMS = ('executive/snapshot_streams/', 'executive/blackboard_streams/')


class RecordedTopics:
    """Knows by name. `namespace`: of our nodes, `/` or `/rover1`."""

    def __init__(self, topics: Topics, namespace: str) -> None:
        self._prefix = namespace.rstrip('/') + '/'
        pictures = {  # the camera's own, what it shows again, and what somebody must listen to
            topics.images.input_compressed,
            topics.vision.picture,
            topics.images.output_capture_raw,
            topics.rover.image_raw,
        }
        named = set(_names(topics.model_dump())) - pictures
        self._names = {self._full(name) for name in (*named, *OF_EVERY_ROBOT)}
        self._names.update(GLOBAL)
        self._own = tuple(self._prefix + name for name in OWN_TOPICS)
        self._streams = tuple(self._prefix + name for name in STREAMS)

    def _full(self, name: str) -> str:
        """See `Topics`."""
        return name[1:] if name.startswith('//') else self._prefix + name.removeprefix('/')

    def includes(self, topic: str, type_name: str) -> bool:
        """Whether to record a topic of this full name and type."""
        if '/msg/' not in type_name:
            return False  # parts of actions
        own = topic.startswith(self._own) and not topic.startswith(self._streams)
        return own or topic in self._names


def _names(value: Any) -> Iterator[str]:
    """Every name of `topics` but those of services and actions; frames are none."""
    if isinstance(value, str):
        yield value
    elif 'kind' not in value:
        for key, each in value.items():
            yield from () if key == 'tf' else _names(each)
    elif value['kind'] == 'topic':
        is_absolute = value['name'].startswith('/') and not value['own']
        yield f'/{value["name"]}' if is_absolute else value['name']
