"""How many times faster than real time the rover stand-in can be, with its camera at 640×480.

Without ROS: one simulated second of driving is a hundred steps of the body, ten pictures as JPEG
and ten scans, as the node `rover` makes them.
"""

from __future__ import annotations

import sys
import time

import cv2

from bench._figures import report
from curiosity_sim.camera.camera import Camera
from curiosity_sim.image_pipeline import encode
from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover.lidar import Lidar
from curiosity_sim.rover.mast_geometry import camera_pose, lidar_pose
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.world import make_world
from rover_common.config.load import load_config

WORLDS = ('default', 'dunes', 'crater')
TARGET = 20.0  # times real time
SIMULATED_S = 10
STEP_S = 0.01
STEPS_PER_PICTURE = 10
JPEG_QUALITY = 90


def run() -> bool:
    """Measures each shipped world."""
    cv2.setNumThreads(1)
    met = True
    for name in WORLDS:
        speed = max(_speed(name) for _ in range(2))
        met &= report(name, speed, '× real time', at_least=TARGET)
    return met


def _speed(name: str) -> float:
    settings = load_config(None, [f'rover.world={name}']).curiosity.rover
    world = make_world(settings)
    rover = Rover(settings, world)
    lens = settings.camera.model_copy(update={'width': 640, 'height': 480})
    camera, lidar = Camera(lens, world), Lidar(world)
    rover.command = DriveCommand(1.0, 0.4)
    began = time.thread_time()  # what others do on the machine does not count
    for step in range(round(SIMULATED_S / STEP_S)):
        rover.step(STEP_S)
        if step % STEPS_PER_PICTURE == 0:
            pose = camera_pose(rover.pose, rover.mast, rover.attitude)
            encode(camera.picture(pose, rover.pose, rover.attitude), JPEG_QUALITY)
            lidar.scan(lidar_pose(rover.pose, rover.mast, rover.attitude))
    return SIMULATED_S / (time.thread_time() - began)


if __name__ == '__main__':
    sys.exit(not run())
