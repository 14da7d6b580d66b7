"""The processes of the system: name, module, and in which order they end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import difflib

from rover_common.errors import UsageError


@dataclass(frozen=True)
class NodeProcess:
    """One process. Those of a lower `ends` have gone before the next ones are asked to end.

    `check`: the function, as `module:name`, that raises ConfigError for what this node, and no
    reader of single keys, finds wrong with a configuration.
    """

    name: str
    module: str
    ends: int
    purpose: str
    check: str = ''


# The executive ends first because it sends a last stop; the adapter next because it passes it on.
NODES = (
    NodeProcess(
        'rover',
        'curiosity_sim.rover_node',
        2,
        'stands in for Gazebo',
        check='curiosity_sim.rover.world:check_configuration',
    ),
    NodeProcess('curiosity_control', 'curiosity_sim.control_node', 2, "the demo's control nodes"),
    NodeProcess('environment_simulator', 'curiosity_sim.simulator_node', 2, 'scores pictures'),
    NodeProcess('curiosity_adapter', 'curiosity_adapter.adapter_node', 1, 'exclusivity, deadman'),
    NodeProcess('visualizer', 'curiosity_viz.visualizer_node', 2, 'markers for RViz'),
    NodeProcess(
        'executive',
        'bt_executive.ros.executive_node',
        0,
        'the behavior tree',
        check='bt_executive.launching.start_checks:check_executive',
    ),
    NodeProcess('recorder', 'bt_executive.ros.recorder_node', 3, 'writes an MCAP file'),
)
RECORDER = 'recorder'  # started when asked for only; it ends last, to hear the others' last words
ROVER_NODES = ('rover', 'curiosity_control')
EXECUTIVE = 'executive'
# ROS arguments beside an embedded rover: its simulated time is that of its namespace alone.
OWN_CLOCK = ('--ros-args', '-r', '/clock:=clock')


def node_named(name: str) -> NodeProcess:
    """The process of that name.

    Raises:
        UsageError: There is none; the text lists all names.
    """
    for node in NODES:
        if node.name == name:
            return node
    names = [node.name for node in NODES]
    close = difflib.get_close_matches(name, names, n=1)
    hint = f' Did you mean {close[0]!r}?' if close else ''
    raise UsageError(f'There is no node {name!r}.{hint} The nodes are: {", ".join(names)}.')


def nodes_without(names: Iterable[str]) -> tuple[NodeProcess, ...]:
    """All processes but the named ones.

    Raises:
        UsageError: A name is unknown.
    """
    left_out = {node_named(name).name for name in names}
    return tuple(node for node in NODES if node.name not in left_out)
