"""`bt-executive foxglove`: the bridge as a process, where its library is installed."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from rclpy.node import Node

from rover_common.errors import UsageError
from rover_common.extras import needs_extra
from rover_common.process.loopback import HOST, listen_on_loopback
from rover_common.ros.node_options import NodeOptions
from rover_common.ros.run_node import run_node

FIRST_PORT, LAST_PORT = 8765, 8784  # Foxglove tries the first one by itself


def address(port: int) -> str:
    """What Foxglove has to open."""
    return f'ws://{HOST}:{port}'


def bridge_port(wanted: int) -> int:
    """A port that is free at this moment: the wanted one, or the first of ours.

    Raises:
        UsageError: None is, or the library is missing.
    """
    _node()
    with listen_on_loopback(wanted, FIRST_PORT, LAST_PORT) as listening:
        port: int = listening.getsockname()[1]
        return port


def run_bridge(arguments: Sequence[str], wanted: int) -> None:
    """Serves until it is asked to end, then ends the process. `arguments`: of the node.

    Raises:
        UsageError: No port is free, or the library is missing.
    """
    port = bridge_port(wanted)

    def make(options: NodeOptions) -> Node:
        node: Node = _node().FoxgloveNode(options, port=port)
        print(f'Foxglove: open a connection to {address(port)}', flush=True)
        return node

    run_node(make, arguments)


def _node() -> ModuleType:
    try:
        from bt_executive.ros import foxglove_node
    except ImportError as error:
        raise UsageError(needs_extra('The bridge', 'foxglove', error=error)) from None
    return foxglove_node
