"""The servers of actions that were told to end a goal, did not, and have not spoken since.

Such a server stands still, or it is dead and the middleware does not know it yet: what is sent to
it may be lost, or wait for its awakening. Whoever takes its place does not know the goal, and says
so when asked to end it. Therefore the question is repeated, and the first answer, whatever it
says, shows that a server is there and that both sides hear each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rover_common.config.settings import Endpoint


@dataclass(frozen=True)
class SilentServer:
    """One server, and the goal of whose end it is asked.

    `asked_at`: steady time of the latest question, in s; None: it was not asked.
    """

    endpoint: Endpoint
    server_call_id: str
    goal_id: str  # hex of its UUID
    asked_at: float | None


class SilentServers:
    """One entry for each action: the latest goal that its server did not end."""

    def __init__(self) -> None:
        self._silent: dict[Endpoint, SilentServer] = {}

    def enter(self, server: SilentServer) -> None:
        """The goal's time for a last word is over."""
        self._silent[server.endpoint] = server

    def asked(self, server: SilentServer, steady: float) -> None:
        """The server is asked now, at a steady time in s."""
        self._silent[server.endpoint] = replace(server, asked_at=steady)

    def answered(self, server_call_id: str) -> SilentServer | None:
        """Enters an answer for a call; returns the server that is silent no longer by it."""
        for endpoint, server in self._silent.items():
            if server.server_call_id == server_call_id:
                return self._silent.pop(endpoint)
        return None

    def get(self, endpoint: Endpoint) -> SilentServer | None:
        """The entry of this action's server, if it is silent."""
        return self._silent.get(endpoint)

    def all(self) -> tuple[SilentServer, ...]:
        """Every entry, oldest first."""
        return tuple(self._silent.values())
