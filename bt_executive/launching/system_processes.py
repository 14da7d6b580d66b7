"""The table of the system's processes: the executive's own, and those of the robot.

Here alone the executive names Curiosity's own processes. They are started for a robot whose
robot.yaml has the section `curiosity` (docs/decisions/0023).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
import difflib
from importlib import import_module
import json
from pathlib import Path

from rover_common.config.robot_file import has_gates, has_own_section
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.extras import how_to_install, missing_modules, needs_extra
from rover_common.llm.providers.catalogue import LOCAL
from rover_common.ros.node_topic_and_enclave_names import (
    EXECUTIVE,
    FRESH,
    GATES,
    MEMORY,
    RECORDER,
    VISION,
)


@dataclass(frozen=True)
class NodeProcess:
    """One process.

    Attributes:
        end_stage: Processes of a lower stage have ended before those of the next are terminated.
        check: The function, as `module:name`, that raises ConfigError for faults of a
            configuration that only this node can find.
        arguments: Its own, before those of all processes.
        extra: Of setup.cfg, with the packages that only it needs.
    """

    name: str
    module: str
    end_stage: int
    purpose: str
    check: str = ''
    arguments: tuple[str, ...] = ()
    extra: str = ''

    def missing(self) -> tuple[str, ...]:
        """Return the packages of its extra that are not installed."""
        return missing_modules(self.extra) if self.extra else ()


def children_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of ROS processes: discovery on this machine, unless it is set."""
    return {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **environment}


SECTION = 'curiosity'
ROVER = 'rover'
CURIOSITY_NODES = (
    NodeProcess(
        ROVER,
        'curiosity_sim.rover_node',
        2,
        'stands in for Gazebo',
        check='curiosity_sim.rover.world:check_configuration',
        extra='rover',
    ),
    NodeProcess('curiosity_control', 'curiosity_sim.control_node', 2, "the demo's control nodes"),
    NodeProcess(
        'environment_simulator',
        'curiosity_sim.simulator_node',
        2,
        'scores pictures',
        extra='rover',
    ),
    NodeProcess('curiosity_adapter', 'curiosity_adapter.adapter_node', 1, 'exclusivity, deadman'),
    NodeProcess(
        'curiosity_navigation', 'curiosity_navigation.navigation_node', 2, 'drives to a pose'
    ),
    NodeProcess('visualizer', 'curiosity_viz.visualizer_node', 2, 'markers for RViz'),
)
ROVER_NODES = (ROVER, 'curiosity_control')  # the embedded rover


__all__ = ['NODES', 'OWN_CLOCK', 'ROVER', 'ROVER_NODES']

# The executive ends first, as it sends a last stop; the adapter next, as it forwards it.
NODES = (
    *CURIOSITY_NODES,
    NodeProcess(
        EXECUTIVE,
        'bt_executive.ros.executive_node',
        0,
        'the behavior tree',
        check='bt_executive.ros.executive_start_check:check_executive',
    ),
    NodeProcess(
        GATES,
        'gates.gates_node',
        1,
        'lets velocities and actions pass under a permit',
        check='gates.ros.gate_on_ros:check_gates',
    ),
    NodeProcess(
        MEMORY,
        'embodied_nav.memory_node',
        2,
        'remembers places',
        extra='memory',
    ),
    NodeProcess(
        VISION,
        'rover_vision.vision_node',
        2,
        'looks, watches and remembers',
        extra='vision',
    ),
    NodeProcess(RECORDER, 'bt_executive.ros.recorder_node', 3, 'writes an MCAP file'),
)
# The planner's model, if it runs on this machine; it is no ROS node.
LOCAL_MODEL = NodeProcess(
    'model', 'bt_executive.launching.model_process', 2, 'a model of llama.cpp', extra='local'
)
# ROS arguments beside an embedded rover: its simulated time is that of its namespace alone.
OWN_CLOCK = ('--ros-args', '-r', '/clock:=clock')


def node_named(name: str) -> NodeProcess:
    """Return the process of a name.

    Raises:
        UsageError: There is none; the text lists all names.
    """
    for node in (*NODES, LOCAL_MODEL):
        if node.name == name:
            return node
    names = [node.name for node in NODES]
    close = difflib.get_close_matches(name, names, n=1)
    hint = f' Did you mean {close[0]!r}?' if close else ''
    raise UsageError(f'There is no node {name!r}.{hint} The nodes are: {", ".join(names)}.')


def unavailable_nodes(names: Iterable[str], folder: Path | None = None) -> dict[str, str]:
    """Return node → a sentence, for each node whose packages are not installed.

    Args:
        names: Nodes that are left out anyway.
        folder: Of the robot; None: the shipped one.
    """
    return {
        node.name: f'{node.name} is left out: it needs the extra {node.extra}, so '
        f'{how_to_install(node.extra)}.'
        for node in configured_nodes(names, folder)
        if node.missing()
    }


def with_model_process(nodes: tuple[NodeProcess, ...], config: Config) -> tuple[NodeProcess, ...]:
    """Return the processes, with that of the planner's model if it runs on this machine."""
    return (*nodes, LOCAL_MODEL) if config.executive.planner.provider == LOCAL else nodes


def left_out_override(names: Iterable[str], folder: Path | None = None) -> list[str]:
    """Return the `--set` with the reasons why nodes are left out, or an empty list."""
    sentences = unavailable_nodes(names, folder)
    return [f'executive.left_out={json.dumps(sentences)}'] if sentences else []


def first_arguments(fresh: bool) -> Mapping[str, Sequence[str]]:
    """Return the arguments of a node's first start, which its restarts do not have.

    `fresh`: the executive resumes no open goal of its journal.
    """
    return {EXECUTIVE: (FRESH,)} if fresh else {}


def check_folder(node: NodeProcess, folder: Path | None) -> None:
    """Check that a node can be run with a configuration folder; None: the shipped one.

    Raises:
        UsageError: It is one of Curiosity's, and the folder is of another robot; or packages
            that it needs are not installed.
    """
    if node.missing():
        others = (other.name for other in NODES if other != node)
        raise UsageError(unavailable_nodes(others)[node.name])
    if node in CURIOSITY_NODES and not _is_curiosity(folder):
        raise UsageError(
            f'{node.name} needs the section {SECTION!r}, which {folder} does not have: write '
            '`extends: curiosity` into its robot.yaml.'
        )


def _is_curiosity(folder: Path | None) -> bool:
    return folder is None or has_own_section(folder, SECTION)


def _needs_gates(folder: Path | None) -> bool:
    """Return whether the process `gates` holds the permits of the robot."""
    if not has_gates(folder):
        return False
    if _is_curiosity(folder):
        raise UsageError(
            f'{folder}: it has `gates` and the section {SECTION!r}, whose adapter holds the one '
            'permit of the robot: remove one of them.'
        )
    return True


def nodes_without(names: Iterable[str], folder: Path | None = None) -> tuple[NodeProcess, ...]:
    """Return the configured nodes without the named ones and those that are not installed.

    Raises:
        UsageError: As `configured_nodes`, or the packages of the embedded rover are not installed.
    """
    nodes = configured_nodes(names, folder)
    for node in nodes:
        if node.name == ROVER and node.missing():
            raise UsageError(
                f'{needs_extra("The embedded rover", node.extra)} '
                'With a rover of your own say --no-rover (rover:=false in ROS launch).'
            )
    return tuple(node for node in nodes if not node.missing())


def configured_nodes(names: Iterable[str], folder: Path | None = None) -> tuple[NodeProcess, ...]:
    """Return all processes but the named ones, for a robot's folder; None: the shipped one.

    Without the section `curiosity` it is another robot: its gates are one process, its own
    adapter is started elsewhere, and `vision` runs if it has that section.

    Raises:
        UsageError: A name is unknown, or Curiosity has gates.
    """
    left_out = {node_named(name).name for name in names}
    left_out |= set() if _needs_gates(folder) else {GATES}
    if not _is_curiosity(folder):
        left_out |= {node.name for node in CURIOSITY_NODES}
        left_out |= set() if folder and has_own_section(folder, VISION) else {VISION}
    return tuple(node for node in NODES if node.name not in left_out)


def preload_nodes(nodes: Iterable[NodeProcess]) -> None:
    """Import the modules of the nodes, so that the forked processes share them."""
    for node in nodes:
        import_module(node.module)
    from rover_common.ros.run_node import preload  # the command line imports no ROS

    preload()
