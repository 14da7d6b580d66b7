"""Writes what the mast camera sees: `python -m curiosity_sim.camera FILE [--set KEY=VALUE ...]`.

To look at a world without running it; `rover.world`, `rover.start` and `rover.camera` say what is
seen. The mast is open and looks ahead.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
import sys

from curiosity_sim.camera.camera import Camera
from curiosity_sim.image_pipeline import encode
from curiosity_sim.rover.mast import PAN
from curiosity_sim.rover.mast_geometry import PAN_OFFSET_RAD, camera_pose
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.world import make_world
from rover_common.config.load import load_config
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.standard_streams import accept_every_text

QUALITY = 85


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit code: 2 if the configuration or the file cannot be used."""
    accept_every_text()
    parser = argparse.ArgumentParser(prog='python -m curiosity_sim.camera')
    parser.add_argument('file', type=Path, metavar='FILE', help='where the JPEG is written')
    parser.add_argument('--config', type=Path, metavar='DIR', help='configuration folder')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    options = parser.parse_args(argv)
    try:
        _write(options.file, _jpeg(options.config, options.set))
    except BtExecutiveError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _jpeg(config: Path | None, overrides: Sequence[str]) -> bytes:
    settings = load_config(config, overrides).curiosity.rover
    world = make_world(settings)
    rover = Rover(settings, world)
    rover.mast.positions[PAN] = -PAN_OFFSET_RAD
    pose = camera_pose(rover.pose, rover.mast, rover.attitude)
    return encode(
        Camera(settings.camera, world).picture(pose, rover.pose, rover.attitude), QUALITY
    )


def _write(file: Path, jpeg: bytes) -> None:
    try:
        file.write_bytes(jpeg)
    except OSError as error:
        raise UsageError(f'{file}: cannot be written ({error.strerror}).') from None


if __name__ == '__main__':
    sys.exit(main())
