"""Writes what the mast camera sees: `python -m curiosity_sim.camera FILE [--set KEY=VALUE ...]`.

To look at a world without running it; `rover.world`, `rover.start` and `rover.camera` say what is
seen. The mast is open and looks ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
import sys

from curiosity_sim.camera.camera import Camera
from curiosity_sim.image_pipeline import encode
from curiosity_sim.rover.mast import PAN
from curiosity_sim.rover.mast_geometry import PAN_OFFSET_RAD, camera_pose
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.world import make_world
from curiosity_sim.writing_commands import run_writing
from rover_common.config.settings import Config

QUALITY = 85


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    return run_writing('curiosity_sim.camera', 'JPEG', _jpeg, argv)


def _jpeg(config: Config) -> bytes:
    settings = config.curiosity.rover
    world = make_world(settings)
    rover = Rover(settings, world)
    rover.mast.positions[PAN] = -PAN_OFFSET_RAD
    pose = camera_pose(rover.pose, rover.mast, rover.attitude)
    return encode(
        Camera(settings.camera, world).picture(pose, rover.pose, rover.attitude), QUALITY
    )


if __name__ == '__main__':
    sys.exit(main())
