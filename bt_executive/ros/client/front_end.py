"""The kinds of front ends, and what each may ask of the executive."""

from __future__ import annotations

from dataclasses import dataclass

from rover_common.ros.enclave import FOLDER

OF_EVERYBODY = ('stop', 'safe_stop', 'show_tree')


@dataclass(frozen=True)
class FrontEnd:
    """A front end.

    Attributes:
        name: Of its node, after bt_executive_, and of its SROS2 enclave.
        services: Of the executive, that it may call.
        approves: Whether it may answer requests for approval.
        by_hand: Whether a human may drive with it in manual mode, and switch faults.
    """

    name: str
    services: tuple[str, ...]
    approves: bool
    by_hand: bool

    @property
    def node(self) -> str:
        """The name of its node."""
        return f'bt_executive_{self.name}'

    @property
    def enclave(self) -> str:
        """Its SROS2 enclave."""
        return f'{FOLDER}/{self.name}'


OF_HUMANS = (*OF_EVERYBODY, 'pause', 'resume', 'reset')

OPERATOR = FrontEnd('console', OF_HUMANS, approves=True, by_hand=True)
PAGE = FrontEnd('web', OF_HUMANS, approves=True, by_hand=True)
# What an operator has paused, made safe or is asked, no program takes back or answers.
AGENT = FrontEnd('mcp', OF_EVERYBODY, approves=False, by_hand=False)
