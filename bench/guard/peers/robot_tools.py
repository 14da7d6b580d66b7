"""The rover's tools as an integrator writes them over a peer's way to call a service.

Names, arguments and bounds are those of the product's robot.yaml, so that the same scripts fit.
Each calls the robot's own services and waits as long as the motion takes, then stops it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

EMPTY, CAPTURE = 'std_srvs/srv/Empty', 'curiosity_rosa_demo/srv/CaptureAndScore'
STATUS = '/adapter/get_status'
Call = Callable[[str, str], Any]
Seconds = Annotated[float, Field(gt=0, le=25)]
Wait = Annotated[float, Field(gt=0, le=60)]
NUDGE_S, MAST_S, SWEEP_S = 6.0, 1.5, 6.5


class RoverTools:
    """The tools as methods, named and described for a model."""

    def __init__(self, call: Call, sleep: Callable[[float], None]) -> None:
        self._call, self._sleep = call, sleep

    def all(self) -> list[Callable[..., Any]]:
        """Return every tool."""
        return [getattr(self, name) for name in TOOLS]

    def _drive(self, service: str, seconds: float) -> str:
        begun = self._call(service, EMPTY)
        self._sleep(seconds)
        return f'{begun}; stopped: {self._call("/move_stop", EMPTY)}'

    def _move_mast(self, service: str, seconds: float) -> str:
        begun = self._call(service, EMPTY)
        self._sleep(seconds)
        return str(begun)

    def move_forward(self, duration_s: Seconds = 4.0) -> str:
        """Drive straight ahead for some seconds, then stop. The mast must be closed."""
        return self._drive('/move_forward', duration_s)

    def turn_left(self, duration_s: Seconds = 4.0) -> str:
        """Drive a left bend for some seconds, then stop. The mast must be closed."""
        return self._drive('/turn_left', duration_s)

    def turn_right(self, duration_s: Seconds = 4.0) -> str:
        """Drive a right bend for some seconds, then stop. The mast must be closed."""
        return self._drive('/turn_right', duration_s)

    def move_nudge(self) -> str:
        """Drive straight ahead for a few seconds, then stop. The mast must be closed."""
        return self._drive('/move_forward', NUDGE_S)

    def move_stop(self) -> str:
        """Stop the rover."""
        return str(self._call('/move_stop', EMPTY))

    def mast_open(self) -> str:
        """Raise the mast. The rover must stand."""
        return self._move_mast('/mast_open', MAST_S)

    def mast_close(self) -> str:
        """Lower the mast. The rover must stand."""
        return self._move_mast('/mast_close', MAST_S)

    def mast_rotate(self) -> str:
        """Sweep the mast once around its axis. The rover must stand."""
        return self._move_mast('/mast_rotate', SWEEP_S)

    def capture_and_score(self) -> str:
        """Take a picture. The rover must stand, and the mast must be open."""
        return str(self._call('/capture_and_score', CAPTURE))

    def get_status(self) -> str:
        """Read battery (%), mast, movement and position (m) of the rover."""
        return str(self._call(STATUS, 'std_srvs/srv/Trigger'))

    def wait(self, seconds: Wait) -> str:
        """Wait for some time."""
        self._sleep(seconds)
        return 'done'

    def speak(self, text: str) -> str:
        """Say something to the operator."""
        return f'said: {text}'


TOOLS = (
    *('move_forward', 'turn_left', 'turn_right', 'move_nudge', 'move_stop'),
    *('mast_open', 'mast_close', 'mast_rotate', 'capture_and_score', 'wait', 'speak'),
)
