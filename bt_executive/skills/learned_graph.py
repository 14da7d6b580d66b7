"""What a live graph has, as its robot.yaml is learned: names and types that were validated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
import re
from typing import Any, TypeAlias

from pydantic import ValidationError

from bt_executive.skills.reserved_names import is_executives
from rover_common.config.settings import Endpoint
from rover_common.interface_fields import FieldType, Resolve, Shape

Constants: TypeAlias = Callable[[str, str], Mapping[str, int]]
JSON_TYPES = ('boolean', 'number', 'integer', 'string')  # a float may be an integer, too
SINGLE = re.compile('std_msgs/msg/(Bool|String|Float(32|64)|U?Int(8|16|32|64))')
# Packages whose messages say nothing by the name of a field.
COMMON = {
    *('std_msgs', 'sensor_msgs', 'geometry_msgs', 'nav_msgs', 'tf2_msgs', 'rcl_interfaces'),
    *('visualization_msgs', 'diagnostic_msgs', 'rosgraph_msgs', 'action_msgs', 'bond'),
    'lifecycle_msgs',
}


@dataclass(frozen=True)
class Graph:
    """What a graph has: name → its types; and the frames: child → parent."""

    services: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    subscribed: frozenset[str] = frozenset()  # topics that somebody listens to
    only_subscribed: frozenset[str] = frozenset()  # those that nobody publishes
    latched: frozenset[str] = frozenset()  # topics whose latest message newcomers get
    joints: Mapping[str, Sequence[str]] = field(default_factory=dict)  # action → what it moves
    odometry: tuple[str, str] = ('', '')  # frames of the world and the base, by odometry
    frames: Mapping[str, str] = field(default_factory=dict)


def no_constants(_type_name: str, _path: str) -> dict[str, int]:
    """No type names any numbers."""
    return {}


class Reading:
    """A graph that is read: what it has, how its types are looked up, and what could not be done.

    Args:
        graph: What there is.
        resolve, message: Return the fields of a type.
        constants: Returns the numbers that an answer's type names beside a field.
    """

    def __init__(self, graph: Graph, resolve: Resolve, message: Any, constants: Constants) -> None:
        self.graph, self.resolve, self.message = _of_robot(graph), resolve, message
        self.constants = constants
        self.not_done: list[str] = []
        self.not_installed: set[str] = set()  # types

    @property
    def published(self) -> dict[str, tuple[str, ...]]:
        """The topics that somebody publishes."""
        silent = self.graph.only_subscribed
        return {name: each for name, each in self.graph.topics.items() if name not in silent}

    def valid(self, name: str, types: tuple[str, ...]) -> Endpoint | None:
        """Return an endpoint of this name and type; None, and noted, if it cannot be used."""
        try:
            if len(types) != 1 or len(name) > 200:
                raise ValueError('several types')
            return Endpoint.model_validate({'name': name, 'type': types[0]})
        except (ValidationError, ValueError):
            self.not_done.append(f'{name} ({", ".join(types)}): no usable name or type')
            return None

    def valid_topic(self, name: str) -> bool:
        """Return whether a topic can be used."""
        return bool(name) and self.valid(name, self.graph.topics[name]) is not None

    def lacks(self, what: str, type_name: str, error: LookupError) -> None:
        """Note that a type is not installed."""
        self.not_done.append(f'{what}: {error.args[0]}')
        self.not_installed.add(type_name)


def _of_robot(graph: Graph) -> Graph:
    """The graph without what is an executive's, though another node may call it."""

    def of_robot(found: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: types for name, types in found.items() if not is_executives(name)}

    return replace(
        graph,
        services=of_robot(graph.services),
        actions=of_robot(graph.actions),
        topics=of_robot(graph.topics),
    )


def leaves(shape: Shape, before: str = '') -> Iterator[tuple[str, FieldType]]:
    """Yield the path of each field that is no structure, and its type."""
    for name, each in shape.items():
        if name == 'structure_needs_at_least_one_member':
            continue
        if isinstance(each, Mapping):
            yield from leaves(each, f'{before}{name}.')
        else:
            yield before + name, each


def snake(name: str) -> str:
    """A name for a tool, an argument or a field, of anything."""
    text = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower()
    text = re.sub(r'[^a-z0-9_]+', '_', text).strip('_')[:48].rstrip('_')
    return text if text[:1].isalpha() else f'x_{text}'


def unused(name: str, used: set[str]) -> str:
    """The name, with a number behind it if it is used; it is used from now on."""
    number, found = 2, name
    while found in used:
        found, number = f'{name}_{number}', number + 1
    used.add(found)
    return found


def endpoint_keys(endpoint: Endpoint) -> dict[str, str]:
    """Return an endpoint as a file has it."""
    return {'name': endpoint.name, 'type': endpoint.type}
