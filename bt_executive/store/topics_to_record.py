"""Selects the topics to record: ours, except some pictures and the streams of viewers. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rover_common.config.settings import Topics

GLOBAL = ('/clock', '/rosout', '/parameter_events', '/diagnostics')  # not in any namespace
OF_EVERY_ROBOT = ('tf', 'tf_static', 'clock')
RECORDING = 'recording'  # the recorder's status on /diagnostics
OWN_TOPICS = ('executive/', 'adapter/')  # all topics below these names
# A stream is open while it has a subscriber: a recorder would keep those of closed viewers open.
STREAMS = ('executive/snapshot_streams/', 'executive/blackboard_streams/')


class RecordedTopics:
    """Selects by name and type. `namespace`: of our nodes, `/` or `/rover1`."""

    def __init__(self, topics: Topics, namespace: str) -> None:
        self._prefix = namespace.rstrip('/') + '/'
        pictures = {  # of the camera, republished, and those produced only for a subscriber
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
