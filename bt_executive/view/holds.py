"""What keeps the robot from its goals, for page and console: why, since when, until when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bt_executive.core.state import BrainState, Mode, UserInterruptType

Kind = Literal['safe', 'charge', 'pause', 'manual']


@dataclass(frozen=True)
class Hold:
    """One of them.

    Attributes:
        cause: As the executive reported it.
        since: ROS time in s; None: not known.
        until_pct: The charge in % at which a rest ends by itself; None: not known, or no rest.
    """

    kind: Kind
    cause: str = ''
    since: float | None = None
    until_pct: float | None = None


def holds_of(state: BrainState, resume_pct: float | None) -> tuple[Hold, ...]:
    """The holds that the executive reports, the one that counts first.

    A pause may stand behind SAFE or a rest: then since when is not known.
    """
    tasks, hci = state.tasks, state.hci
    since = tasks.held_since or None
    above: Hold | None = None
    if tasks.mode is Mode.SAFE:
        above = Hold('safe', state.world.safety_reason, since)
    elif tasks.mode is Mode.CHARGE:
        above = Hold('charge', tasks.preempt_reason, since, resume_pct)
    if hci.user_interrupt is not UserInterruptType.PAUSE:
        return (above,) if above else ()
    source = str(hci.interrupt_payload.get('source', ''))
    pause = Hold('pause', source, None if above else since)
    return (above, pause) if above else (pause,)
