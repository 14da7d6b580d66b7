"""What a launch file starts: everything that can be said of it without launch."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path

from bt_executive.launching.launch_arguments import Argument, overrides
from bt_executive.launching.memory_and_vision_models import model_faults
from bt_executive.launching.node_process import NodeProcess, children_environment
from bt_executive.launching.start_checks import check_start
from bt_executive.launching.system_processes import (
    ROVER_NODES,
    first_arguments,
    left_out_override,
    nodes_without,
    unavailable_nodes,
    with_model_process,
)
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.node_names import MEMORY, RECORDER, VISION
from rover_common.process.lifeline import Lifelines
from rover_common.process.new_run_folder import make_run_folder

OPTIONS = {
    MEMORY: 'memory',
    RECORDER: 'record',
    VISION: 'vision',
}  # node → its argument
REACH = 'ROS_AUTOMATIC_DISCOVERY_RANGE'


class LaunchPlan:
    """The nodes of one robot, and what each of them gets.

    Everything is looked at before anything starts, and the run folder is made. The process that
    has the plan holds the lifelines of the nodes: when it ends, however it ends, they do.

    Args:
        given: The values of the launch arguments.
        arguments: What these arguments are.

    Attributes:
        space: The namespace of all nodes.
        nodes: What to start.
        notes: What is told of nodes that cannot be started here, and of models they lack.

    Raises:
        BtExecutiveError: Nothing can be started so.
    """

    def __init__(self, given: Mapping[str, str], arguments: Mapping[str, Argument]) -> None:
        self._embedded = given.get('rover') == 'true'
        self.space = namespace(given['namespace'])
        folder = Path(given['config']) if given['config'] else None
        left_out = self._left_out(given)
        changes = [*overrides(given, arguments), *left_out_override(left_out, folder)]
        self.config = load_config(folder, changes)
        self.nodes = with_model_process(nodes_without(left_out, folder), self.config)
        surroundings = {**os.environ, **self.environment()}
        lacking = model_faults(self.config, surroundings, self.nodes)
        self.notes = (*unavailable_nodes(left_out, folder).values(), *lacking)
        checks = {node.name: node.check for node in self.nodes}
        check_start(self.config, checks, [f'__ns:={self.space}'], surroundings)
        self.run_dir = make_run_folder(Path(given['run_dir']) if given['run_dir'] else None)
        self._options = ['--run-dir', str(self.run_dir.resolve())]
        self._options += ['--config', str(folder.resolve())] if folder else []
        self._options += [word for change in changes for word in ('--set', change)]
        self._first = first_arguments(given['fresh'] == 'true')
        self._lifelines = Lifelines(node.end_stage for node in self.nodes)

    def node_options(self, node: NodeProcess, is_first: bool) -> list[str]:
        """Command line arguments of a node. `is_first`: it was not running before."""
        return [*(self._first.get(node.name, ()) if is_first else ()), *self._options]

    def remappings(self) -> list[tuple[str, str]]:
        """Beside an embedded rover, simulated time is that of its namespace alone."""
        return [('/clock', 'clock')] if self._embedded else []

    def environment(self) -> dict[str, str]:
        """A rover of this machine stays on this machine, unless the user chose otherwise."""
        return {REACH: children_environment(os.environ)[REACH]} if self._embedded else {}

    def node_environment(self, node: NodeProcess) -> dict[str, str]:
        """What one of the nodes must find in its environment."""
        return {**self.environment(), **self._lifelines.environment(node.end_stage)}

    def _left_out(self, given: Mapping[str, str]) -> list[str]:
        rover = () if self._embedded else ROVER_NODES
        return [*rover, *(name for name, option in OPTIONS.items() if given[option] != 'true')]


def namespace(given: str) -> str:
    """A namespace as ROS wants it: `rover_1` and `/rover_1` are the same.

    Raises:
        UsageError: It cannot be one.
    """
    space = '/' + given.strip('/')
    parts = [part for part in space.split('/') if part]
    if not all(part.isidentifier() and part.isascii() for part in parts):
        raise UsageError(
            f'namespace is {given!r}: use letters, digits and underscores, such as rover_1.'
        )
    return space
