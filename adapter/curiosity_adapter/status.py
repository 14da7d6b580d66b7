"""What the adapter tells about itself, in /adapter/get_status and on /adapter/status."""

from __future__ import annotations

from dataclasses import asdict, dataclass
import json

from bt_executive.settings import Variant
from bt_executive.transforms import Pose
from curiosity_adapter.deadman import DeadmanState
from curiosity_adapter.mast import MastState


@dataclass(frozen=True)
class AdapterStatus:
    """All but the pose; two equal values need not be published twice.

    `mast_is_open` is anything but surely closed; None in Variant A and while nothing is known.
    `mast` is None in Variant A. `motion` and `mast_command` name what is under way.
    """

    variant: Variant
    mast_is_open: bool | None
    mast: MastState | None
    mast_command: str | None
    move_allowed: bool
    moving: bool
    motion: str | None
    deadman: DeadmanState
    last_error_reason: str | None


def status_to_json(status: AdapterStatus, pose: Pose | None) -> str:
    """One JSON object; the rover's pose in m and rad with its ROS time in s, nulls if unknown."""
    content = asdict(status) | {
        'rover_x': pose and round(pose.x, 4),
        'rover_y': pose and round(pose.y, 4),
        'rover_yaw': pose and round(pose.yaw, 4),
        'rover_stamp': pose and pose.stamp,
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
