"""A network of nodes, somebody who speaks in it, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import cv2
from network import Network
from network import network as network
import numpy as np
import pytest
from rclpy.node import Node

from curiosity_sim.camera.ground_texture import Ground, make_ground


@pytest.fixture(scope='session', autouse=True)
def kept_ground() -> Iterator[Callable[..., Ground]]:
    """`make_ground` that remembers every ground, not two: a fine one takes a second to draw."""
    kept = cache(make_ground)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr('curiosity_sim.camera.landscape.make_ground', kept)
        yield kept


@pytest.fixture
def tester(network: Network) -> Node:
    """A node through which a test speaks and listens."""
    return network.add(Node('tester'))


@pytest.fixture(scope='session')
def jpeg() -> bytes:
    """A small textured picture."""
    noise = np.random.default_rng(3).integers(90, 170, (120, 160, 3), dtype=np.uint8)
    return cv2.imencode('.jpg', noise)[1].tobytes()
