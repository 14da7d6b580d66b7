"""The names and types of a live graph, from which a robot.yaml is learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
import re
from typing import Any, TypeAlias

from pydantic import ValidationError

from bt_executive.skills.endpoint_validation import is_executives
from rover_common.config.settings import Endpoint
from rover_common.interface_field_checks import FieldType, Resolve, Shape

Constants: TypeAlias = Callable[[str, str], Mapping[str, int]]
JSON_TYPES = ('boolean', 'number', 'integer', 'string')  # a float may be an integer, too
SINGLE = re.compile('std_msgs/msg/(Bool|String|Float(32|64)|U?Int(8|16|32|64))')
# Packages of generic messages, whose field names do not describe the robot.
COMMON = {
    *('std_msgs', 'sensor_msgs', 'geometry_msgs', 'nav_msgs', 'tf2_msgs', 'rcl_interfaces'),
    *('visualization_msgs', 'diagnostic_msgs', 'rosgraph_msgs', 'action_msgs', 'bond'),
    'lifecycle_msgs',
}


@dataclass(frozen=True)
class Graph:
    """The contents of a graph: name → types; and the frames: child → parent."""

    services: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subscribed: frozenset[str] = frozenset()  # topics with a subscription
    only_subscribed: frozenset[str] = frozenset()  # those of them without a publisher
    latched: frozenset[str] = frozenset()  # topics with durability transient local
    joints: Mapping[str, Sequence[str]] = field(default_factory=dict)  # action → its joints
    # Topic of odometry → frames of the world and the base in it.
    odometry: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)


class GraphAnalysis:
    """A graph, the look-up of its types, and notes of what could not be learned.

    `resolve` and `message` return the fields of a type, `constants` those that a response's type
    defines for a field.
    """

    def __init__(self, graph: Graph, resolve: Resolve, message: Any, constants: Constants) -> None:
        self.graph, self.resolve, self.message = _of_robot(graph), resolve, message
        self.constants = constants
        self.not_learned: list[str] = []
        self.not_installed: set[str] = set()  # types

    @property
    def published(self) -> dict[str, tuple[str, ...]]:
        """The topics with a publisher."""
        unpublished = self.graph.only_subscribed
        return {
            name: types for name, types in self.graph.topics.items() if name not in unpublished
        }

    def valid(self, name: str, types: tuple[str, ...]) -> Endpoint | None:
        """Return the endpoint of this name and type; None, with a note, if it is invalid."""
        try:
            if len(types) != 1 or len(name) > 200:
                raise ValueError('several types')
            return Endpoint.model_validate({'name': name, 'type': types[0]})
        except (ValidationError, ValueError):
            self.not_learned.append(f'{name} ({", ".join(types)}): no usable name or type')
            return None

    def valid_topic(self, name: str) -> bool:
        """Return whether a topic's name and type are valid."""
        return bool(name) and self.valid(name, self.graph.topics[name]) is not None

    def note_missing_type(self, what: str, type_name: str, error: LookupError) -> None:
        """Note that a type is not installed."""
        self.not_learned.append(f'{what}: {error.args[0]}')
        self.not_installed.add(type_name)


def _of_robot(graph: Graph) -> Graph:
    """Return the graph without the endpoints of an executive."""

    def of_robot(entries: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: types for name, types in entries.items() if not is_executives(name)}

    return replace(
        graph,
        services=of_robot(graph.services),
        actions=of_robot(graph.actions),
        topics=of_robot(graph.topics),
    )


def leaf_fields(shape: Shape, prefix: str = '') -> Iterator[tuple[str, FieldType]]:
    """Yield the path and the type of each field that is no structure."""
    for name, field_type in shape.items():
        if name == 'structure_needs_at_least_one_member':
            continue
        if isinstance(field_type, Mapping):
            yield from leaf_fields(field_type, f'{prefix}{name}.')
        else:
            yield prefix + name, field_type


def snake_case(name: str) -> str:
    """Return any name in snake case, for a tool, an argument or a field."""
    text = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower()
    text = re.sub(r'[^a-z0-9_]+', '_', text).strip('_')[:48].rstrip('_')
    return text if text[:1].isalpha() else f'x_{text}'


def unique_name(name: str, used: set[str]) -> str:
    """Return the name, with a number appended if it is in `used`, and add it there."""
    number, candidate = 2, name
    while candidate in used:
        candidate, number = f'{name}_{number}', number + 1
    used.add(candidate)
    return candidate


def endpoint_keys(endpoint: Endpoint) -> dict[str, str]:
    """Return an endpoint as it is written in robot.yaml."""
    return {'name': endpoint.name, 'type': endpoint.type}
