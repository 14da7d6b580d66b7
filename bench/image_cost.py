"""Darken and overlay a 1080p JPEG picture, against decoding and encoding it alone."""

from __future__ import annotations

from collections.abc import Callable
import sys
import time

import cv2

from bench._figures import report
from curiosity_sim.camera.camera import Camera
from curiosity_sim.image_pipeline import decode, encode
from curiosity_sim.image_score_and_ground_statistics import ImageScorer
from curiosity_sim.rover.mast import Mast
from curiosity_sim.rover.mast_geometry import camera_pose
from curiosity_sim.rover.world import make_world
from rover_common.config.load import load_config
from rover_common.geometry.planar_motion import Pose2D

ROUNDS = 60
TARGET_RATIO = 1.15
BRIGHT_M = 5.0  # where nothing is darkened away, encoding costs most


def run() -> bool:
    """Measures both in turns, so that a busy machine disturbs them alike."""
    cv2.setNumThreads(1)
    config = load_config()
    rover, quality = config.curiosity.rover, config.curiosity.simulator.jpeg_quality
    size = {'width': 1920, 'height': 1080}
    camera = Camera(rover.camera.model_copy(update=size), make_world(rover))
    picture = camera.picture(camera_pose(Pose2D(), Mast()), Pose2D())
    jpeg = encode(picture, quality)
    scorer = ImageScorer(
        config.thresholds.light_model, config.thresholds.quality, config.curiosity.simulator
    )
    alone, whole = [], []
    for _ in range(ROUNDS):
        alone.append(_taken(lambda: encode(decode(jpeg), quality)))
        whole.append(_taken(lambda: scorer.develop(jpeg, BRIGHT_M)))
    # A cold cache only adds: the shortest times are the measurement.
    ratio = min(whole) / min(alone)
    report('decode and encode alone', min(alone), 'ms')
    report('with darkening and overlay', min(whole), 'ms')
    return report('ratio of the two', ratio, at_most=TARGET_RATIO)


def _taken(work: Callable[[], object]) -> float:
    began = time.thread_time()  # what others do on the machine does not count
    work()
    return (time.thread_time() - began) * 1e3


if __name__ == '__main__':
    sys.exit(not run())
