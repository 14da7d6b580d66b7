"""The SROS2 enclaves of our processes: each has its own keys and permissions (docs/security.md).

Without security, an enclave is no more than a name in the graph.
"""

from __future__ import annotations

from bt_executive.console.nodes import NODES

FOLDER = '/bt_executive'
CONSOLE = f'{FOLDER}/console'


def enclave_of(program: str) -> str:
    """The enclave of the node whose program or module is called so; the console's otherwise."""
    for node in NODES:
        if program in (node.name, node.module.rpartition('.')[2]):
            return f'{FOLDER}/{node.name}'
    return CONSOLE


def enclave_arguments(enclave: str) -> list[str]:
    """ROS arguments for it; `--enclave` of a user, which comes later, counts more."""
    return ['--ros-args', '--enclave', enclave, '--']
