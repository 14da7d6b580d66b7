"""What keeps the robot from its goals, for page and console: why, since when, until when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bt_executive.core.causes_of_safe import SILENCES
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, Mode, UserInterruptType

Kind = Literal['safe', 'charge', 'pause', 'manual']


@dataclass(frozen=True)
class Hold:
    """One of them.

    Attributes:
        cause: As the executive reported it; of SAFE also what has become of it.
        since: ROS time in s; None: not known.
        until_pct: The charge in % at which a rest ends by itself; None: not known, or no rest.
    """

    kind: Kind
    cause: str = ''
    since: float | None = None
    until_pct: float | None = None


def holds_of(
    state: BrainState, resume_pct: float | None, resumed_at: float | None = None
) -> tuple[Hold, ...]:
    """The holds that the executive reports, the one that counts first.

    A pause may stand behind SAFE or a rest: then since when is not known. `resumed_at`: when this
    run took over what the one before had left, ROS s; None: it did not, or nobody heard of it.
    """
    tasks, hci = state.tasks, state.hci
    since = tasks.held_since or None
    above: Hold | None = None
    if tasks.mode is Mode.SAFE:
        above = Hold('safe', _cause_of_safe(state, resumed_at), since)
    elif tasks.mode is Mode.CHARGE:
        above = Hold('charge', tasks.preempt_reason, since, resume_pct)
    if hci.user_interrupt is not UserInterruptType.PAUSE:
        return (above,) if above else ()
    source = str(hci.interrupt_payload.get('source', ''))
    pause = Hold('pause', source, None if above else since)
    return (above, pause) if above else (pause,)


def _cause_of_safe(state: BrainState, resumed_at: float | None) -> str:
    cause, since = state.world.safety_reason, state.tasks.held_since
    if since and resumed_at is not None and since < resumed_at:
        cause = f'{cause} (taken over from the run before)'
    if _is_heard_again(state.world.safety_reason, state.robot):
        cause = f'{cause}: that is over, new readings come; only a reset ends SAFE'
    return cause


def _is_heard_again(reason: str, robot: RobotState) -> bool:
    """Whether all that SAFE was made of are readings that were missing, and these come again."""
    came = {'status': robot.status_at, 'pose': robot.pose_at, 'battery': robot.battery_at}
    readings = [SILENCES.get(each, '') for each in reason.split('; ')]
    if 'battery' in readings and robot.battery_stale:
        return False
    return all(came.get(each) is not None and each not in robot.ages for each in readings)
