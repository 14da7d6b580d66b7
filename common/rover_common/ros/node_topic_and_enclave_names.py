"""Names in the graph: of our nodes, of topics as a node must use them, of SROS2 enclaves.

Each process has an enclave with keys and permissions of its own (docs/security.md); without
security, that is no more than a name.
"""

from __future__ import annotations

import re


def display_name(name: str) -> str:
    """A name of `topics` for people."""
    return name[1:] if name.startswith('//') else name


def relative_name(name: str) -> str:
    """A name of `topics` for ROS, which resolves it in the node's namespace; see `Topics`."""
    return name.removeprefix('/')


FOLDER = '/bt_executive'
CONSOLE = f'{FOLDER}/console'
STOP_LINE = f'{FOLDER}/stop_line'
NO_NAME = re.compile(r'\W', re.ASCII)  # characters that ROS does not accept in an enclave
# Modules that are not called as their node.
NODES = {
    'adapter_node': 'curiosity_adapter',
    'control_node': 'curiosity_control',
    'navigation_node': 'curiosity_navigation',
    'simulator_node': 'environment_simulator',
}


def enclave_of(program: str) -> str:
    """The enclave of the node whose program (`rover`) or module (`rover_node`) is called so."""
    name = NODES.get(program, program.removesuffix('_node'))
    return f'{FOLDER}/{NO_NAME.sub("_", name)}'


def enclave_arguments(enclave: str) -> list[str]:
    """ROS arguments for it; `--enclave` of a user, which comes later, counts more."""
    return ['--ros-args', '--enclave', enclave, '--']


EXECUTIVE = 'executive'
GATES = 'gates'
MEMORY = 'memory'
VISION = 'vision'
RECORDER = 'recorder'  # started on request only; it ends last, to record the others' last messages
FRESH = '--fresh'  # of the executive alone
