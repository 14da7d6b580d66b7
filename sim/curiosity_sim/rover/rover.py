"""The rover as a body: drive, mast and battery, stepped together in simulated time."""

from __future__ import annotations

from bt_executive.settings import Rover as RoverSettings
from curiosity_sim.rover.battery import Battery
from curiosity_sim.rover.kinematics import DriveCommand, PlanarPose, advance
from curiosity_sim.rover.mast import Mast


class Rover:
    """Everything that moves. `step` is the only way in which time passes.

    The wheels keep the last command for ever, as the demo's wheel node does: whoever starts the
    rover must stop it.
    """

    def __init__(self, settings: RoverSettings) -> None:
        start = settings.start
        self.pose = PlanarPose(start.x, start.y, start.yaw_rad)
        self.command = DriveCommand()
        self.mast = Mast()
        self.battery = Battery(settings.battery)

    def step(self, seconds: float) -> None:
        """Moves everything on by `seconds` of simulated time."""
        self.pose = advance(self.pose, self.command, seconds)
        self.mast.step(seconds)
        driving = self.command.speed != 0.0
        self.battery.step(seconds, driving=driving, mast_moving=self.mast.moving)
