"""What is known of the robot, a part of the state: pose, battery, parts, and whether it stands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from typing import Any

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from rover_common.config.settings import PartValue
from rover_common.geometry.pose2d import Pose2D
from rover_common.run_number import RunNumber


@dataclass(frozen=True)
class Pose:
    """Where the robot stands, in the world frame: m, and heading and tilt in rad."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    orientation_w: float = 1.0  # real part of the rotation as a unit quaternion
    yaw: float = 0.0
    tilt: float = 0.0  # angle between the robot's up and the world's, rad

    @property
    def planar(self) -> Pose2D:
        """The pose on the ground."""
        return Pose2D(self.x, self.y, self.yaw)


@dataclass(frozen=True)
class Twist:
    """Velocity by the latest two poses: m/s along the heading, and rad/s."""

    linear_x: float = 0.0
    angular_z: float = 0.0


@dataclass(frozen=True)
class ReceivedHeartbeat:
    """The latest heartbeat that the adapter had taken when it made its status."""

    sender: str
    sequence: int

    @property
    def number(self) -> RunNumber:
        """As the executive's run has counted it."""
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
        """As the executive's run has counted it."""
        return RunNumber(self.sender, self.permit)


@dataclass(frozen=True)
class RobotState:
    """What is known of the robot. `…_at`: steady time in s at arrival; None: never seen.

    In JSON each of `parts` is a key of its own beside the others, such as `gripper`.
    """

    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    battery_pct: float | None = None  # None: there was no reading in this run
    # UNKNOWN, OK, LOW (latched until it has risen enough), LOST (was low, and tells no more)
    battery_state: str = 'UNKNOWN'
    resources: dict[str, bool] = field(default_factory=dict)  # '<name>_busy'
    distance_to_target: float = 0.0  # m still to drive to a tool's destination; 0: there is none

    pose_at: float | None = None
    pose_stamp: float = 0.0  # ROS time in s
    # `state` of robot.yaml: fields of the adapter's status and of topics; None: not known
    parts: dict[str, PartValue | None] = field(default_factory=dict)
    # of those that a topic has: steady time of the latest value; why there is none now
    parts_at: dict[str, float] = field(default_factory=dict)
    parts_unknown: dict[str, str] = field(default_factory=dict)
    awaited: tuple[str, ...] = ()  # parts of which `safe_when` must know, and nothing came yet
    moving: bool | None = None
    # at each gate of a robot that has some; None: not known
    moving_at: dict[str, bool | None] = field(default_factory=dict)
    at_rest: bool | None = None  # nothing is under way, and it does not roll; None: not known
    standing_unknown: str = ''  # why the adapter does not know whether it stands; empty: it does
    heard_beat: ReceivedHeartbeat | None = None
    ending: MotionEnding | None = None
    stopping: bool = False  # a stop was sent and is not confirmed
    status_at: float | None = None  # latest word from the adapter
    adapter_life: str | None = None  # which run of the adapter spoke: it changes by a restart
    battery_at: float | None = None
    battery_stale: bool = False  # the reading is older than safety.battery_max_age_s
    sent_to_charge: bool = False  # by the tree, since the battery is low: it does so once
    # pose, status, battery → age in s of a reading that is old; only on ~/state (reading_ages.py)
    ages: dict[str, float] = field(default_factory=dict)

    @property
    def charge(self) -> str:
        """The latest reading of the battery, in words."""
        return 'not known' if self.battery_pct is None else f'{self.battery_pct:.0f} %'

    @property
    def shown_pose(self) -> Pose | None:
        """Of a state from ~/state: where the robot is; None: not known, or the reading is old."""
        return None if self.pose_at is None or 'pose' in self.ages else self.pose

    @property
    def stands(self) -> bool | None:
        """Whether the robot stands; None: not known."""
        if self.standing_unknown or self.moving is None:
            return None
        return not self.moving and self.at_rest is not False

    def stands_at(self, gate: str, moved: Collection[str]) -> bool | None:
        """Return whether what a gate moves stands; None: not known.

        `moved`: gates at which the executive itself permits a motion now. What moves at another
        one counts for the whole robot, and so does what is not known.
        """
        others = (name for name, moves in self.moving_at.items() if moves is not False)
        if self.moving_at.get(gate) is False and all(
            self._is_ours(name, moved) for name in others
        ):
            return True
        return self.stands

    def _is_ours(self, gate: str, moved: Collection[str]) -> bool:
        return self.moving_at[gate] is True and gate in moved

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


# What no part of a robot can be called.
ROBOT_KEYS = frozenset(each.name for each in fields(RobotState))
