"""The state of the robot, a part of the state: pose, battery, parts, standstill.

A part is a field of its status, configured by `state` in robot.yaml; a value that is absent or of
another type is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from rover_common.config.settings import PartType, PartValue
from rover_common.geometry.planar_motion import Pose2D
from rover_common.message_order import RunNumber
from rover_common.state_values import has_type


@dataclass(frozen=True)
class Pose:
    """The pose of the robot in the world frame: m, and heading and tilt in rad."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    orientation_w: float = 1.0  # real part of the rotation as a unit quaternion
    yaw: float = 0.0
    tilt: float = 0.0  # angle between the robot's up and the world's, rad

    @property
    def planar(self) -> Pose2D:
        """Returns the pose on the ground."""
        return Pose2D(self.x, self.y, self.yaw)


@dataclass(frozen=True)
class Twist:
    """Velocity by the latest two poses: m/s along the heading, and rad/s."""

    linear_x: float = 0.0
    angular_z: float = 0.0


@dataclass(frozen=True)
class ReceivedHeartbeat:
    """The latest heartbeat that the adapter had received when it made its status."""

    sender: str
    sequence: int

    @property
    def number(self) -> RunNumber:
        """Returns its number in the run of its sender."""
        return RunNumber(self.sender, self.sequence)


@dataclass(frozen=True)
class MotionEnding:
    """How the adapter ended the last motion that had a permit.

    `code`: of `EndingCode`, as it was received (docs/decisions/0021-permission-is-a-level.md).
    """

    sender: str
    permit: int
    code: str
    reason: str

    @property
    def permit_id(self) -> RunNumber:
        """Returns its number in the run of its sender."""
        return RunNumber(self.sender, self.permit)


@dataclass(frozen=True)
class RobotState:
    """The state of the robot. `…_at`: steady time in s at arrival; None: never received.

    In JSON each of `parts` is a key of its own beside the others, such as `gripper`.
    """

    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    battery_pct: float | None = None  # None: there was no reading in this run
    # UNKNOWN, OK, LOW (latched until it has risen enough), LOST (was low, without readings since)
    battery_state: str = 'UNKNOWN'
    resources: dict[str, bool] = field(default_factory=dict)  # '<name>_busy'
    distance_to_target: float = 0.0  # m left to a tool's destination; 0: there is none

    pose_at: float | None = None
    pose_stamp: float = 0.0  # ROS time in s
    # `state` of robot.yaml: fields of the adapter's status and of topics; None: not known
    parts: dict[str, PartValue | None] = field(default_factory=dict)
    # of parts from topics: steady time of the latest value; why there is none now
    parts_at: dict[str, float] = field(default_factory=dict)
    parts_unknown: dict[str, str] = field(default_factory=dict)
    awaited: tuple[str, ...] = ()  # parts that `safe_when` needs, without a value yet
    moving: bool | None = None
    # gate → whether it moves something; None: not known
    moving_at: dict[str, bool | None] = field(default_factory=dict)
    at_rest: bool | None = None  # no motion runs, and it does not roll; None: not known
    standing_unknown: str = (
        ''  # why the adapter does not know whether the robot stands; empty: it does
    )
    heard_beat: ReceivedHeartbeat | None = None
    ending: MotionEnding | None = None
    stopping: bool = False  # a stop was sent and is not confirmed
    status_at: float | None = None  # of the latest status of the adapter
    adapter_life: str | None = None  # the adapter's run, which changes by a restart
    battery_at: float | None = None
    battery_stale: bool = False  # the reading is older than safety.battery_max_age_s
    sent_to_charge: bool = False  # by the tree, once, since the battery is low
    # pose, status, battery → age in s of a reading that is old; only on ~/state (reading_ages.py)
    ages: dict[str, float] = field(default_factory=dict)

    @property
    def charge(self) -> str:
        """Returns the latest reading of the battery as text."""
        return 'not known' if self.battery_pct is None else f'{self.battery_pct:.0f} %'

    @property
    def shown_pose(self) -> Pose | None:
        """Returns the pose, if it is not too old; for states from ~/state, which have `ages`."""
        return None if self.pose_at is None or 'pose' in self.ages else self.pose

    @property
    def stands(self) -> bool | None:
        """Returns whether the robot stands; None: not known."""
        if self.standing_unknown or self.moving is None:
            return None
        return not self.moving and self.at_rest is not False

    def stands_at(self, gate: str, moved: Collection[str]) -> bool | None:
        """Returns whether the parts that a gate moves stand; None: not known.

        `moved`: gates at which the executive itself permits a motion now. Motion at any other
        gate counts for the whole robot, and so does an unknown state of one.
        """
        others = ((name, moves) for name, moves in self.moving_at.items() if moves is not False)
        if self.moving_at.get(gate) is False and all(
            moves is True and name in moved for name, moves in others
        ):
            return True
        return self.stands

    @model_serializer(mode='wrap')
    def _spread_parts(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        own: dict[str, Any] = serialize(self)
        parts: dict[str, Any] = own.pop('parts')
        return parts | own

    @model_validator(mode='before')
    @classmethod
    def _gather_parts(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        parts = {key: value for key, value in raw.items() if key not in ROBOT_KEYS}
        return {key: value for key, value in raw.items() if key not in parts} | {'parts': parts}


# Names that no part of a robot can have.
ROBOT_KEYS = frozenset(each.name for each in fields(RobotState))


Parts: TypeAlias = Mapping[str, PartValue | None]  # field of the status → value; None: not known


def read_parts(status: Mapping[str, Any], types: Mapping[str, PartType]) -> dict[str, Any]:
    """Return the configured fields of a status; None: absent, or of another type."""
    return {name: _read(status.get(name), kind) for name, kind in types.items()}


def _read(value: Any, kind: PartType) -> PartValue | None:
    return value if has_type(value, kind) else None
