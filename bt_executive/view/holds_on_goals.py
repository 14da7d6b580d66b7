"""What holds goals back, for display: SAFE, charging, a pause, manual driving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bt_executive.core.causes_of_safe import SILENCES
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, Mode, UserInterruptType

Kind = Literal['safe', 'charge', 'pause', 'manual']


@dataclass(frozen=True)
class Hold:
    """One hold.

    Attributes:
        cause: As reported by the executive; of SAFE also whether it is over.
        since: ROS time in s; None: not known.
        until_pct: The charge in % at which charging ends; None: not known, or not charging.
    """

    kind: Kind
    cause: str = ''
    since: float | None = None
    until_pct: float | None = None


def holds_of(
    state: BrainState, resume_pct: float | None, resumed_at: float | None = None
) -> tuple[Hold, ...]:
    """Return the holds of a state, the effective one first.

    A pause may be behind SAFE or CHARGE; its begin is not known then. `resumed_at`: ROS time in s
    at which this run resumed the previous one; None: it did not, or it is not known.
    """
    tasks, hci = state.tasks, state.hci
    since = tasks.held_since or None
    effective: Hold | None = None
    if tasks.mode is Mode.SAFE:
        effective = Hold('safe', _cause_of_safe(state, resumed_at), since)
    elif tasks.mode is Mode.CHARGE:
        effective = Hold('charge', tasks.preempt_reason, since, resume_pct)
    if hci.user_interrupt is not UserInterruptType.PAUSE:
        return (effective,) if effective else ()
    source = str(hci.interrupt_payload.get('source', ''))
    pause = Hold('pause', source, None if effective else since)
    return (effective, pause) if effective else (pause,)


def _cause_of_safe(state: BrainState, resumed_at: float | None) -> str:
    cause, since = state.world.safety_reason, state.tasks.held_since
    if since and resumed_at is not None and since < resumed_at:
        cause = f'{cause} (taken over from the run before)'
    if _has_new_readings(state.world.safety_reason, state.robot):
        cause = f'{cause}: that is over, new readings come; only a reset ends SAFE'
    return cause


def _has_new_readings(reason: str, robot: RobotState) -> bool:
    """Return whether all causes of SAFE are missing readings, and new ones have arrived."""
    arrived_at = {'status': robot.status_at, 'pose': robot.pose_at, 'battery': robot.battery_at}
    readings = [SILENCES.get(cause, '') for cause in reason.split('; ')]
    if 'battery' in readings and robot.battery_stale:
        return False
    return all(arrived_at.get(name) is not None and name not in robot.ages for name in readings)
