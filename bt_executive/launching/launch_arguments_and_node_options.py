"""The arguments of the launch files, and the options and environment of each node by them.

Without the package launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
import os
import shlex

from bt_executive.launching.model_checks_of_parts import model_faults
from bt_executive.launching.start_checks import check_start
from bt_executive.launching.system_processes import (
    ROVER_NODES,
    NodeProcess,
    children_environment,
    first_arguments,
    left_out_override,
    nodes_without,
    unavailable_nodes,
    with_model_process,
)
from rover_common.config.dotted_keys import text_override
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.process.new_run_folder import claim_run_folder, make_run_folder
from rover_common.process.process_end import Lifelines
from rover_common.process.user_paths import named_path
from rover_common.ros.node_topic_and_enclave_names import MEMORY, RECORDER, VISION

ON_OFF = ('true', 'false')
PROVIDERS = ('offline', 'openai', 'azure', 'anthropic', 'ollama', 'llamacpp', 'recorded')


@dataclass(frozen=True)
class Argument:
    """A launch argument.

    Attributes:
        default: Empty: as configured.
        key: Of the configuration; a value that is not empty overrides it.
    """

    default: str
    description: str
    choices: Sequence[str] = ()
    key: str = ''


def _override(key: str, description: str, choices: Sequence[str] = ()) -> Argument:
    return Argument(
        '', f'{description}; empty: as configured', ('', *choices) if choices else (), key
    )


ARGUMENTS: Mapping[str, Argument] = {
    'namespace': Argument('', 'namespace of all nodes, so that robots can share one graph'),
    'variant': _override(
        'executive.variant', 'rules of spec 2 on the parts: A (none) or B', ('A', 'B')
    ),
    'planner': _override('planner.provider', 'whose model plans', PROVIDERS),
    'use_sim_time': _override('executive.use_sim_time', 'take the time from /clock', ON_OFF),
    'config': Argument('', 'configuration folder; empty: the shipped one'),
    'set': Argument('', 'other keys, such as "light_model.x_good=8 approval.mode=always"'),
    'run_dir': Argument('', 'folder of the run; empty: a fresh one below ./runs'),
    'journal': _override('journal.file', 'journal of the executive, a file'),
    'fresh': Argument('false', 'resume no goal that is open in the journal', ON_OFF),
    'memory': Argument('true', 'start the spatial memory', ON_OFF),
    'vision': Argument('true', 'start the process vision, with its port for clients', ON_OFF),
    'record': Argument('false', 'also write all topics to an MCAP file', ON_OFF),
    'rviz': Argument('false', 'open RViz with the preset', ON_OFF),
    'log_level': Argument('info', 'of our nodes', ('debug', 'info', 'warn', 'error', 'fatal')),
}
ROVER_ARGUMENTS: Mapping[str, Argument] = {
    'rover': Argument('true', 'start the embedded rover and its control nodes', ON_OFF),
    'world': _override('rover.world', 'world of the embedded rover: a name or a .yaml file'),
}


def overrides(values: Mapping[str, str], arguments: Mapping[str, Argument]) -> Iterator[str]:
    """Yield the arguments of `--set` for the values of launch arguments.

    Raises:
        UsageError: `set` ends within quotes.
    """
    for name, argument in arguments.items():
        if argument.key and values[name]:
            plain = f'{argument.key}={values[name]}'
            yield plain if argument.choices else text_override(argument.key, values[name])
    try:
        yield from shlex.split(values['set'])
    except ValueError:
        raise UsageError(f'set is {values["set"]!r}: a quotation mark has no partner.') from None


OPTIONS = {
    MEMORY: 'memory',
    RECORDER: 'record',
    VISION: 'vision',
}  # node → its argument
DISCOVERY_RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'


class LaunchPlan:
    """The nodes of one robot, with the options and the environment of each.

    Everything is checked before any node starts, and the run folder is made. The process that has
    the plan holds the lifelines of the nodes: when it ends, however it ends, they end, too.

    Args:
        values: Of the launch arguments.
        arguments: The launch arguments.

    Attributes:
        namespace: Of all nodes.
        nodes: Those to start.
        notes: Sentences about nodes that are left out, and about models that cannot be used.

    Raises:
        BtExecutiveError: The nodes cannot be started.
    """

    def __init__(self, values: Mapping[str, str], arguments: Mapping[str, Argument]) -> None:
        self._has_rover = values.get('rover') == 'true'
        self.namespace = absolute_namespace(values['namespace'])
        folder = named_path(values['config']) if values['config'] else None
        left_out = self._left_out(values)
        changes = [*overrides(values, arguments), *left_out_override(left_out, folder)]
        self.config = load_config(folder, changes)
        self.nodes = with_model_process(nodes_without(left_out, folder), self.config)
        environment = {**os.environ, **self.environment()}
        faults = model_faults(self.config, environment, self.nodes)
        self.notes = (*unavailable_nodes(left_out, folder).values(), *faults)
        checks = {node.name: node.check for node in self.nodes}
        check_start(self.config, checks, [f'__ns:={self.namespace}'], environment)
        run_dir = values['run_dir']
        self.run_dir = make_run_folder(named_path(run_dir) if run_dir else None)
        self._claim = claim_run_folder(self.run_dir)
        self._options = ['--run-dir', str(self.run_dir.resolve())]
        self._options += ['--config', str(folder.resolve())] if folder else []
        self._options += [option for change in changes for option in ('--set', change)]
        self._first_options = first_arguments(values['fresh'] == 'true')
        self._lifelines = Lifelines(node.end_stage for node in self.nodes)

    def node_options(self, node: NodeProcess, is_first: bool) -> list[str]:
        """Return the arguments of a node. `is_first`: at its first start."""
        return [*(self._first_options.get(node.name, ()) if is_first else ()), *self._options]

    def remappings(self) -> list[tuple[str, str]]:
        """Return that of /clock: an embedded rover's simulated time is of its namespace only."""
        return [('/clock', 'clock')] if self._has_rover else []

    def environment(self) -> dict[str, str]:
        """Return the discovery range: an embedded rover's is this machine, unless it is set."""
        if not self._has_rover:
            return {}
        return {DISCOVERY_RANGE: children_environment(os.environ)[DISCOVERY_RANGE]}

    def node_environment(self, node: NodeProcess) -> dict[str, str]:
        """Return the environment variables of a node."""
        return {**self.environment(), **self._lifelines.environment(node.end_stage)}

    def _left_out(self, values: Mapping[str, str]) -> list[str]:
        rover = () if self._has_rover else ROVER_NODES
        return [*rover, *(name for name, option in OPTIONS.items() if values[option] != 'true')]


def absolute_namespace(text: str) -> str:
    """Return a namespace with its slash: of `rover_1` and `/rover_1` it is the same.

    Raises:
        UsageError: It is no valid namespace.
    """
    namespace = '/' + text.strip('/')
    segments = [segment for segment in namespace.split('/') if segment]
    if not all(segment.isidentifier() and segment.isascii() for segment in segments):
        raise UsageError(
            f'namespace is {text!r}: use letters, digits and underscores, such as rover_1.'
        )
    return namespace
