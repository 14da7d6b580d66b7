"""The servers that did not end a goal on request, or were gone before its end.

Such a server may still run the goal: it refuses to cancel, or it is suspended, or cut off, or dead
and the middleware has not noticed yet. A request to a silent one may be lost or wait until it
resumes; a new server in its place does not know the goal, and says so when asked to cancel it.
Therefore the request is repeated until the goal is known to have ended. Any other response shows
that the server is there and still runs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from rover_common.config.settings import Endpoint
from rover_common.dataclass_replace import replace


@dataclass(frozen=True)
class SilentServer:
    """One server, with the goal that it is asked to cancel.

    `requested_at`: steady time of the latest request, in s; None: there was none.
    `responds`: it has responded since it was given up, and still runs the goal.
    """

    endpoint: Endpoint
    server_call_id: str
    goal_id: str  # hex of its UUID
    requested_at: float | None
    responds: bool = False

    @property
    def absence(self) -> str:
        """Return why it gets no other goal, as the end of a sentence."""
        if self.responds:
            return 'still runs its last goal'
        return 'did not end its last goal and does not answer'


class SilentServers:
    """One entry for each action: the latest goal that its server did not end."""

    def __init__(self) -> None:
        self._silent: dict[Endpoint, SilentServer] = {}

    def add(self, server: SilentServer) -> None:
        """Adds a server that has not ended its goal in time, or has gone."""
        self._silent[server.endpoint] = server

    def note_request(self, server: SilentServer, steady: float) -> None:
        """Notes a request to the server, at a steady time in s."""
        self._silent[server.endpoint] = replace(server, requested_at=steady)

    def of(self, server_call_id: str) -> SilentServer | None:
        """Returns the entry of the server that did not end this call; None: there is none."""
        servers = self._silent.values()
        return next((each for each in servers if each.server_call_id == server_call_id), None)

    def note_response(self, server: SilentServer) -> SilentServer:
        """Notes that the server still runs its goal; returns its entry."""
        noted = self._silent[server.endpoint] = replace(server, responds=True)
        return noted

    def remove(self, server: SilentServer) -> None:
        """Removes a server whose goal has ended."""
        del self._silent[server.endpoint]

    def get(self, endpoint: Endpoint) -> SilentServer | None:
        """Returns the entry of an action's server; None: it has ended each goal."""
        return self._silent.get(endpoint)

    def all(self) -> tuple[SilentServer, ...]:
        """Returns every entry, oldest first."""
        return tuple(self._silent.values())
