"""The registry of named preconditions: pure functions of the frozen state.

`Need to close mast`, `Move in progress` and `Mast is closed` are exact strings of specs 1 and 2.
What is not known is refused: a robot that says nothing of its mast does not drive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bt_executive.kernel.verdict import GuardReading
from bt_executive.settings import GuardSettings, Variant
from bt_executive.state import BrainState

NEED_TO_CLOSE_MAST = 'Need to close mast'
MOVE_IN_PROGRESS = 'Move in progress'
MAST_IS_CLOSED = 'Mast is closed'


@dataclass(frozen=True)
class GuardView:
    """What a precondition may look at. `now` in ROS seconds; `holders`: resource → call id."""

    state: BrainState
    now: float
    holders: Mapping[str, str]
    call_id: str  # the call that asks


@dataclass(frozen=True)
class Precondition:
    """A named condition; `question` is its name in the tree."""

    name: str
    question: str
    read: Callable[[GuardView], GuardReading]


def preconditions(settings: GuardSettings, variant: Variant) -> dict[str, Precondition]:
    """All preconditions that the variant knows, by name. Variant A does not guard the mast."""
    always = [
        Precondition('adapter_alive', 'Adapter alive?', _adapter_alive(settings)),
        Precondition('standing_still', 'Standing still?', _standing_still),
    ]
    mast = [
        Precondition('mast_closed', 'Mast closed?', _mast_closed),
        Precondition('mast_open', 'Mast open?', _mast_open),
    ]
    return {each.name: each for each in (always + mast if variant == 'B' else always)}


PRECONDITION_NAMES = frozenset({'adapter_alive', 'standing_still', 'mast_closed', 'mast_open'})


def _adapter_alive(settings: GuardSettings) -> Callable[[GuardView], GuardReading]:
    def read(view: GuardView) -> GuardReading:
        seen_at = view.state.robot.status_at
        if seen_at is None:
            reason = 'No status from the adapter yet'
            return GuardReading('adapter_alive', reason, None, passing=True)
        age = round(view.now - seen_at, 2)
        if age > settings.adapter_status_max_age_s:
            reason = f'No status from the adapter for {age:.1f} s'
            return GuardReading('adapter_alive', reason, age, passing=True)
        return GuardReading('adapter_alive', seen=age)

    return read


def _standing_still(view: GuardView) -> GuardReading:
    own_motion = view.holders.get('base') == view.call_id
    moving = view.state.robot.moving
    refused = not own_motion and moving is not False
    return GuardReading('standing_still', MOVE_IN_PROGRESS if refused else '', moving)


def _mast_closed(view: GuardView) -> GuardReading:
    is_open = view.state.robot.mast_is_open
    if is_open is None:
        return GuardReading('mast_closed', 'State of the mast is not known', None, passing=True)
    return GuardReading(
        'mast_closed', NEED_TO_CLOSE_MAST if is_open else '', view.state.robot.mast
    )


def _mast_open(view: GuardView) -> GuardReading:
    robot = view.state.robot
    if robot.mast_is_open is None:
        return GuardReading('mast_open', 'State of the mast is not known', None, passing=True)
    is_closed = not robot.mast_is_open or robot.mast == 'between'
    return GuardReading('mast_open', MAST_IS_CLOSED if is_closed else '', robot.mast)
