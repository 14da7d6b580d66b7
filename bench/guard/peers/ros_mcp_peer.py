"""ros-mcp-server's tool layer (ros-mcp): its `call_service`, over rosbridge's protocol.

Public functions: `ros_mcp.integration.register` puts its tools into an MCP server, and
`call_service` is called there as a client of MCP calls it. What it sends to rosbridge is answered
by the robot of the case. Run in an environment with ros-mcp:
`PYTHON -m bench.guard.peers.ros_mcp_peer URL`.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import version
import sys
from typing import Any

from fastmcp import Client, FastMCP  # type: ignore[import-not-found]
from ros_mcp import integration  # type: ignore[import-not-found]

from bench.guard.peers.loop import pursue
from bench.guard.peers.robot_tools import RoverTools
from bench.guard.peers.wire import Bench


class CaseBridge:
    """In the place of the server's websocket: rosbridge's answers, from the case."""

    default_timeout = 5.0

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def __enter__(self) -> CaseBridge:
        return self

    def __exit__(self, *_given: object) -> None:
        """Nothing was opened."""

    def request(self, message: dict[str, Any], timeout: float | None = None) -> dict[str, Any]:
        """Answer one message of rosbridge's protocol."""
        del timeout
        head = {'op': 'service_response', 'service': message.get('service', '')}
        if message['op'] != 'call_service':
            return head | {'result': False, 'values': {'message': 'not in this world'}}
        answer = self._bench.call(message['service'], message['type'], message['args'])
        return head | {'result': bool(answer.pop('ok')), 'values': answer}


def main(url: str) -> None:
    """Pursues the goals of the bench."""
    bench, server = Bench(), FastMCP('ros-mcp-server')
    bridge = CaseBridge(bench)
    integration.WebSocketManager = lambda *_given, **_named: bridge
    integration.register(server)

    async def ask(**given: Any) -> Any:
        async with Client(server) as client:
            return (await client.call_tool('call_service', given)).data

    def call(service: str, kind: str) -> Any:
        return asyncio.run(ask(service_name=service, service_type=kind, request={}))

    tools = {each.__name__: each for each in RoverTools(call, bench.sleep).all()}
    tools['call_service'] = lambda **given: asyncio.run(ask(**given))
    bench.serve(lambda goal: pursue(goal, url, tools))


if __name__ == '__main__':
    print(f'ros-mcp {version("ros-mcp")}', file=sys.stderr)
    main(sys.argv[1])
