"""The projection from the odom frame to the picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math

import numpy as np

from curiosity_sim.array_types import Doubles
from curiosity_sim.rover.mast_geometry import CameraPose


@dataclass(frozen=True)
class Lens:
    """A pinhole camera without distortion; square pixels, the axis in the picture's middle."""

    width: int
    height: int
    horizontal_fov: float  # rad

    @property
    def focal(self) -> float:
        """Focal length in pixels."""
        return self.width / 2.0 / math.tan(self.horizontal_fov / 2.0)

    @property
    def centre(self) -> tuple[float, float]:
        """Column and row of the axis; pixel (0, 0) has its middle at (0, 0)."""
        return (self.width - 1) / 2.0, (self.height - 1) / 2.0

    def widest_bearing(self, down: float) -> float:
        """The largest angle from the heading at which ground or horizon can be seen, in rad.

        `down` is the angle of the axis below the horizon. From pi/2 on, everything around the
        camera's foot may be seen.
        """
        low = down + math.atan(self.height / 2.0 / self.focal)
        ahead = math.cos(down) - self.height / 2.0 / self.focal * math.sin(max(down, 0.0))
        if low >= math.pi / 2.0 or ahead <= 0.0:
            return math.pi
        return math.atan(self.width / 2.0 / self.focal / ahead)


@dataclass(frozen=True)
class Eye:
    """A lens at a pose: the projection from the odom frame to the picture and its parts."""

    lens: Lens
    pose: CameraPose

    @cached_property
    def axes(self) -> Doubles:
        """Right, down and ahead of the camera as rows of unit vectors in the odom frame."""
        pose = self.pose
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        low, deep = math.cos(pose.down), math.sin(pose.down)
        axes = np.array(
            [(sin, -cos, 0.0), (-cos * deep, -sin * deep, -low), (cos * low, sin * low, -deep)]
        )
        if not pose.level:
            tilt, lean = math.cos(pose.roll), math.sin(pose.roll)
            axes[:2] = np.array([[tilt, lean], [-lean, tilt]]) @ axes[:2]
        return axes

    def see(self, points: Doubles) -> Doubles:
        """Points of the odom frame (..., 3) in m as right, down, ahead of the camera, in m."""
        pose = self.pose
        turned: Doubles = (points - (pose.x, pose.y, pose.z)) @ self.axes.T
        return turned

    def project(self, seen: Doubles) -> Doubles:
        """Column and row of points given by `see`; they must lie ahead."""
        flat: Doubles = seen[..., :2] / seen[..., 2:] * self.lens.focal + self.lens.centre
        return flat
