"""Which front end may call which services of the executive, and who counts as a human."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bt_executive.core.goal_queue import Sender
from bt_executive.core.keepalive_leases import LEASE_S
from rover_common.ros.node_topic_and_enclave_names import FOLDER

HUMAN_SERVICES = {
    name: name for name in ('stop', 'safe_stop', 'pause', 'resume', 'reset', 'show_tree')
}


@dataclass(frozen=True)
class FrontEnd:
    """A front end.

    Attributes:
        name: Of its node, after bt_executive_, and of its SROS2 enclave.
        services: The services of the executive that it may call, by their names in the front end.
        human: Whether a human uses it: only then it answers requests for approval, drives in
            manual mode, switches faults, and calls the memory directly.
        lease_s: After how long without a keepalive its goals are cancelled; 0: never.
        repeats_stops: Whether its client sends a stop without an answer again to the executive
            that is found next. The console does so itself, in the order of its lines.
    """

    name: str
    services: Mapping[str, str]
    human: bool
    lease_s: float = 0.0
    repeats_stops: bool = False

    @property
    def sender(self) -> Sender:
        """The sender of its goals."""
        return 'operator' if self.human else 'agent'

    @property
    def node(self) -> str:
        """The name of its node."""
        return f'bt_executive_{self.name}'

    @property
    def enclave(self) -> str:
        """Its SROS2 enclave."""
        return f'{FOLDER}/{self.name}'


OPERATOR = FrontEnd('console', HUMAN_SERVICES, human=True)
PAGE = FrontEnd('web', HUMAN_SERVICES, human=True, repeats_stops=True)
# No program takes back a pause or SAFE of the operator, or answers a request for approval.
# Its goals have a lease, since no human would notice that it is gone.
AGENT = FrontEnd(
    'mcp',
    {'stop': 'agent_stop', 'show_tree': 'show_tree'},
    human=False,
    lease_s=LEASE_S,
    repeats_stops=True,
)
