"""The SROS2 enclaves of our processes: each has its own keys and permissions (docs/security.md).

Without security, an enclave is no more than a name in the graph.
"""

from __future__ import annotations

import re

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
