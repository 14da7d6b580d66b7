"""RAI's tool layer (rai_core, Robotec.AI): `CallROS2ServiceTool`, with a list of what it may call.

Public functions: the tool's `invoke`, as a LangChain tool. The list allows the rover's services
and nothing else. Its connector is a ROS 2 node; here it is the robot of the case, with the same
method. Run in an environment with rai_core: `PYTHON -m bench.guard.peers.rai_peer URL`.
"""

from __future__ import annotations

from importlib.metadata import version
import sys
from typing import Any

from rai.communication.ros2 import ROS2Connector, ROS2Message  # type: ignore[import-not-found]
from rai.tools.ros2.generic.services import (  # type: ignore[import-not-found]
    CallROS2ServiceTool,
)

from bench.guard.peers.loop import pursue
from bench.guard.peers.robot_tools import RoverTools
from bench.guard.peers.wire import Bench

SERVICES = (
    *('/move_forward', '/turn_left', '/turn_right', '/move_stop'),
    *('/mast_open', '/mast_close', '/mast_rotate', '/capture_and_score'),
)


class CaseConnector(ROS2Connector):
    """RAI's connector, whose services are those of the case."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench  # no node, no executor

    def service_call(
        self, message: Any, target: str, *_given: Any, msg_type: str = '', **_named: Any
    ) -> Any:
        """See `ROS2Connector.service_call`."""
        return ROS2Message(payload=self._bench.call(target, msg_type, message.payload))

    def __del__(self) -> None:
        """Nothing was begun."""


def main(url: str) -> None:
    """Pursues the goals of the bench."""
    bench = Bench()
    layer = CallROS2ServiceTool(connector=CaseConnector(bench), writable=list(SERVICES))

    def call(service: str, kind: str) -> Any:
        return layer.invoke({'service_name': service, 'service_type': kind, 'service_args': {}})

    tools = {each.__name__: each for each in RoverTools(call, bench.sleep).all()}
    tools['call_ros2_service'] = lambda **given: layer.invoke(given)
    bench.serve(lambda goal: pursue(goal, url, tools))


if __name__ == '__main__':
    print(f'rai_core {version("rai_core")}', file=sys.stderr)
    main(sys.argv[1])
