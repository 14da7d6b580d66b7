"""The action servers that did not end a goal on request and have not responded since.

Such a server is suspended, or it is dead and the middleware has not noticed yet: a request to it
may be lost or wait until it resumes. A new server in its place does not know the goal, and says so
when asked to cancel it. Therefore the request is repeated, and the first response of any kind
shows that a server is there and that both sides receive each other's messages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rover_common.config.settings import Endpoint


@dataclass(frozen=True)
class SilentServer:
    """One server, with the goal that it is asked to cancel.

    `requested_at`: steady time of the latest request, in s; None: there was none.
    """

    endpoint: Endpoint
    server_call_id: str
    goal_id: str  # hex of its UUID
    requested_at: float | None


class SilentServers:
    """One entry for each action: the latest goal that its server did not end."""

    def __init__(self) -> None:
        self._silent: dict[Endpoint, SilentServer] = {}

    def add(self, server: SilentServer) -> None:
        """Adds a server that has not ended its goal in time."""
        self._silent[server.endpoint] = server

    def note_request(self, server: SilentServer, steady: float) -> None:
        """Notes a request to the server, at a steady time in s."""
        self._silent[server.endpoint] = replace(server, requested_at=steady)

    def pop_answered(self, server_call_id: str) -> SilentServer | None:
        """Removes and returns the server that has responded to a call; None: it is not silent."""
        for endpoint, server in self._silent.items():
            if server.server_call_id == server_call_id:
                return self._silent.pop(endpoint)
        return None

    def get(self, endpoint: Endpoint) -> SilentServer | None:
        """Returns the entry of an action's server, if it is silent."""
        return self._silent.get(endpoint)

    def all(self) -> tuple[SilentServer, ...]:
        """Returns every entry, oldest first."""
        return tuple(self._silent.values())
