"""What the adapter's status says that matters to a navigator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rover_common.permit import NO_PERMIT_ID, PermitId
from rover_common.run_number import RunNumber
from rover_common.setpoint import JOURNEY, Stage

NOTHING_TAKEN = RunNumber('', 0)
LONGEST_REASON = 1000  # characters of a reason that comes from another process


@dataclass(frozen=True)
class JourneyAnswer:
    """What has become of a journey: see `journey` in the adapter's status."""

    number: int
    stage: Stage
    reason: str
    motion: int
    motion_stage: Stage
    motion_reason: str
    at_rest: bool
    unstopped: str


@dataclass(frozen=True)
class AdapterStatus:
    """One status, as one navigator reads it.

    Attributes:
        life: Of the adapter: another one means that it was restarted.
        at_rest: Nothing is under way, every stop was answered, and the rover does not roll.
        mast_moves: None: not known.
        executive: Whether one is alive, so that there is a permission or none may drive.
        permit: What it permits, if that is a journey; of one that has fallen silent, nothing.
        taken: The latest setpoint that was taken, whoever's it was.
        answer: About a journey of this navigator; None: the latest one was none of its.
    """

    life: str
    at_rest: bool
    mast_moves: bool | None
    executive: bool
    permit: PermitId
    taken: RunNumber
    answer: JourneyAnswer | None


def read_status(content: Mapping[str, Any], sender: str) -> AdapterStatus:
    """The status for the navigator that sends setpoints under this name.

    Raises:
        ValueError: A field is missing or is no such value.
    """
    try:
        setpoint, journey, moves = (content[key] for key in ('setpoint', 'journey', 'mast_moves'))
        executive, permit = content['deadman'] == 'armed', content['permit']
        return AdapterStatus(
            life=str(content['life']),
            at_rest=content['at_rest'] is True,
            mast_moves=moves if isinstance(moves, bool) else None,
            executive=executive,
            permit=_permit(permit, content['heartbeat']) if executive else NO_PERMIT_ID,
            taken=_taken(setpoint),
            answer=_answer(journey) if _is_from(journey, sender) else None,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f'the status of the adapter cannot be used: {error!r:.200}') from None


def _is_from(given: Any, sender: str) -> bool:
    return given is not None and given['sender'] == sender


def _taken(setpoint: Mapping[str, Any] | None) -> RunNumber:
    if setpoint is None:
        return NOTHING_TAKEN
    return RunNumber(str(setpoint['sender']), int(setpoint['sequence']))


def _permit(given: Mapping[str, Any], heartbeat: Mapping[str, Any] | None) -> PermitId:
    if heartbeat is None or given['motion'] != JOURNEY:
        return NO_PERMIT_ID
    return RunNumber(str(heartbeat['sender']), int(given['number']))


def _answer(given: Mapping[str, Any]) -> JourneyAnswer:
    return JourneyAnswer(
        number=int(given['number']),
        stage=Stage(given['stage']),
        reason=str(given['reason'])[:LONGEST_REASON],
        motion=int(given['motion']),
        motion_stage=Stage(given['motion_stage']),
        motion_reason=str(given['motion_reason'])[:LONGEST_REASON],
        at_rest=given['at_rest'] is True,
        unstopped=str(given['unstopped'])[:LONGEST_REASON],
    )
