"""What the offline model believes, as a pure fold over the steps it has taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
import math
from typing import Any

from bt_executive.planner.offline.experience import Step

NEED_TO_CLOSE = 'Need to close mast'
MAST_IS_CLOSED = 'Mast is closed'
MOVE_IN_PROGRESS = 'Move in progress'
INTERRUPTED = 'Interrupted before it was done'  # by a pause, a rest or a better goal

NOTICEABLE = 5e-4  # change of score that counts; a nudge towards a light 1 km away gives 2e-3

FORWARD = ('move_nudge', 'move_forward')
TURNS = ('turn_left', 'turn_right')
NAVIGATE = 'navigate_to'
MOTIONS = (*FORWARD, *TURNS, NAVIGATE)
KEEP_OUT_GUARD = 'outside_keep_out'
REASONS_THAT_PASS = (NEED_TO_CLOSE, MAST_IS_CLOSED, MOVE_IN_PROGRESS, INTERRUPTED)
HELD_M = 0.3  # a drive that moved the rover less than this was stopped by something

Place = tuple[float, float]


@dataclass(frozen=True)
class Pose:
    """Where the rover stood: metres and radians in the frame of get_status."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Drive:
    """One completed motion; `duration_s` is what was asked for, if anything."""

    tool: str
    duration_s: float | None = None

    @property
    def turns(self) -> bool:
        """Whether the motion changed the heading."""
        return self.tool in TURNS

    @property
    def straight(self) -> bool:
        """Whether the motion went ahead without a bend."""
        return self.tool in FORWARD


@dataclass(frozen=True)
class Capture:
    """One measured picture, the drives that led to it from the one before, and the pose there."""

    score: float
    is_good: bool
    data: Mapping[str, Any]
    drives: tuple[Drive, ...] = ()
    rotated: bool = False
    pose: Pose | None = None


@dataclass(frozen=True)
class Beliefs:
    """Everything that decisions are made from.

    Attributes:
        captures: Pictures in order.
        drives: Motions since the last picture.
        rotated: Whether the mast was rotated since the last picture.
        pose: The last reported pose.
        pose_is_current: Whether the rover has not moved since then.
        travelled_m: Straight lines between reported poses, added up.
        turn_rate: Measured rad/s of a turn, without sign.
        mast_closed: None while unknown.
        close_before_moving: Learned from a refusal.
        open_before_looking: Learned from a refusal.
        failures: Failures in a row by tool.
        status: Data of the last get_status.
        last: The last step.
        drives_since_pose: Motions since the pose was reported.
        reached: Places that `navigate_to` has driven to.
        missed: Places that it could not drive to, with its reasons.
        barred: Why no drive ahead is allowed from here; empty while none was refused for good.
        held: Whether the rover stands where it stood before the last drives.
    """

    captures: tuple[Capture, ...] = ()
    drives: tuple[Drive, ...] = ()
    rotated: bool = False
    pose: Pose | None = None
    pose_is_current: bool = False
    travelled_m: float = 0.0
    turn_rate: float | None = None
    mast_closed: bool | None = None
    close_before_moving: bool = False
    open_before_looking: bool = False
    failures: Mapping[str, int] = field(default_factory=dict)
    status: Mapping[str, Any] = field(default_factory=dict)
    last: Step | None = None
    drives_since_pose: tuple[Drive, ...] = ()
    reached: tuple[Place, ...] = ()
    missed: tuple[tuple[Place, str], ...] = ()
    barred: str = ''
    held: bool = False

    @property
    def changed(self) -> bool:
        """Whether a new picture could differ from the last one."""
        return not self.captures or bool(self.drives) or self.rotated

    @property
    def rotation_promises(self) -> bool:
        """Whether another view from here may be brighter.

        True until a rotation was tried; then once per place, and only if one ever helped.
        """
        gains = [
            after.score - before.score
            for before, after in zip(self.captures, self.captures[1:], strict=False)
            if after.rotated and not after.drives
        ]
        here = bool(self.captures) and self.captures[-1].rotated
        return not gains or (max(gains) > NOTICEABLE and not here)


def form(steps: Iterable[Step]) -> Beliefs:
    """Beliefs after these steps."""
    beliefs = Beliefs()
    for step in steps:
        beliefs = _learn(beliefs, step)
    return beliefs


def angle(radians: float) -> float:
    """The same angle in (-pi, pi]."""
    return math.pi - (math.pi - radians) % (2 * math.pi)


def _learn(beliefs: Beliefs, step: Step) -> Beliefs:
    failures = {**beliefs.failures, step.tool: beliefs.failures.get(step.tool, 0) + 1}
    if step.ok:
        del failures[step.tool]
    beliefs = replace(beliefs, failures=failures, last=step)
    return _after_success(beliefs, step) if step.ok else _after_failure(beliefs, step)


def _after_failure(beliefs: Beliefs, step: Step) -> Beliefs:
    if step.reason == NEED_TO_CLOSE:
        return replace(beliefs, close_before_moving=True, mast_closed=False)
    if step.reason == MAST_IS_CLOSED:
        return replace(beliefs, open_before_looking=True, mast_closed=True)
    place = _destination(step)
    if place and step.reason not in REASONS_THAT_PASS:
        beliefs = replace(beliefs, missed=(*beliefs.missed, (place, step.reason)))
    elif step.tool in FORWARD and step.data.get('refused_by') == KEEP_OUT_GUARD:
        beliefs = replace(beliefs, barred=step.reason)
    if step.tool in MOTIONS:  # it may have gone part of the way
        return replace(beliefs, pose_is_current=False)
    return beliefs


def _after_success(beliefs: Beliefs, step: Step) -> Beliefs:
    if step.tool in MOTIONS:
        if place := _destination(step):
            beliefs = replace(beliefs, reached=(*beliefs.reached, place))
        return _drove(beliefs, Drive(step.tool, number(step.arguments.get('duration_s'))))
    if step.tool == 'capture_and_score':
        return _saw(beliefs, step.data)
    if step.tool == 'get_status':
        return _reported(beliefs, step.data)
    if step.tool == 'mast_rotate':
        return replace(beliefs, rotated=True)
    if step.tool in ('mast_open', 'mast_close'):
        return replace(beliefs, mast_closed=step.tool == 'mast_close')
    return beliefs


def _drove(beliefs: Beliefs, drive: Drive) -> Beliefs:
    return replace(
        beliefs,
        drives=(*beliefs.drives, drive),
        drives_since_pose=(*beliefs.drives_since_pose, drive),
        pose_is_current=False,
        barred='',
        held=False,
    )


def _destination(step: Step) -> Place | None:
    x, y = number(step.arguments.get('x')), number(step.arguments.get('y'))
    return None if step.tool != NAVIGATE or x is None or y is None else (x, y)


def _saw(beliefs: Beliefs, data: Mapping[str, Any]) -> Beliefs:
    capture = Capture(
        score=number(data.get('score')) or 0.0,
        is_good=data.get('is_good') is True,
        data=data,
        drives=beliefs.drives,
        rotated=beliefs.rotated,
        pose=beliefs.pose if beliefs.pose_is_current else None,
    )
    beliefs = replace(beliefs, captures=(*beliefs.captures, capture), drives=(), rotated=False)
    stats = data.get('stats')
    pose = _pose_in(stats) if isinstance(stats, Mapping) else None
    return _located(beliefs, pose) if pose else beliefs


def _reported(beliefs: Beliefs, status: Mapping[str, Any]) -> Beliefs:
    mast_open = status.get('mast_is_open')
    if isinstance(mast_open, bool):
        blocked = mast_open and status.get('move_allowed') is False
        beliefs = replace(
            beliefs,
            mast_closed=not mast_open,
            close_before_moving=beliefs.close_before_moving or blocked,
        )
    beliefs = replace(beliefs, status=status)
    pose = _pose_in(status)
    return _located(beliefs, pose) if pose else beliefs


def _pose_in(values: Mapping[str, Any]) -> Pose | None:
    x, y, yaw = (number(values.get(f'rover_{axis}')) for axis in ('x', 'y', 'yaw'))
    return None if x is None or y is None or yaw is None else Pose(x, y, yaw)


def _located(beliefs: Beliefs, pose: Pose) -> Beliefs:
    captures, before = beliefs.captures, beliefs.pose
    if captures and not beliefs.drives:
        captures = (*captures[:-1], replace(captures[-1], pose=pose))
    travelled = math.hypot(pose.x - before.x, pose.y - before.y) if before else 0.0
    drove = before is not None and bool(beliefs.drives_since_pose)
    return replace(
        beliefs,
        captures=captures,
        pose=pose,
        pose_is_current=True,
        travelled_m=beliefs.travelled_m + travelled,
        turn_rate=_turn_rate(before, pose, beliefs.drives_since_pose) or beliefs.turn_rate,
        drives_since_pose=(),
        held=travelled < HELD_M if drove else beliefs.held,
    )


def _turn_rate(before: Pose | None, after: Pose, drives: tuple[Drive, ...]) -> float | None:
    """Measured rad/s if nothing but one timed turn lies between the two poses."""
    if before is None or len(drives) != 1 or not drives[0].turns or not drives[0].duration_s:
        return None
    return abs(angle(after.yaw - before.yaw)) / drives[0].duration_s or None


def number(value: object) -> float | None:
    """The value if it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
