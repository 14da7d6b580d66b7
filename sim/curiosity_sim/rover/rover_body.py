"""The rover as a body: its drive, mast and battery, stepped together in simulated time."""

from __future__ import annotations

from curiosity_sim.rover.attitude import settle
from curiosity_sim.rover.battery import Battery
from curiosity_sim.rover.blocking_rocks_and_slopes import BlockingGround
from curiosity_sim.rover.kinematics import DriveCommand, advance
from curiosity_sim.rover.mast import Mast
from curiosity_sim.rover.wheel_traction import Traction
from curiosity_sim.rover.world import World
from rover_common.config.settings import RoverSettings
from rover_common.geometry.planar_motion import Pose2D

STANDING = DriveCommand()
# Simulated. Who waits for the end of a motion has measured it by then, at the rates of motion.
RESTS_AFTER_S = 3.0


class Rover:
    """Everything that moves. `step` is the only way in which time passes.

    The wheels keep the last command for ever, as the demo's wheel node does: whoever starts the
    rover must stop it. A rock or a slope that is too steep stops the rover all the same;
    `blocked_by` says what did; None while nothing does.
    """

    def __init__(self, settings: RoverSettings, world: World) -> None:
        start = world.start
        self.pose = Pose2D(start.x, start.y, start.yaw_rad)
        self.attitude = settle(world.terrain, self.pose)
        self.command = DriveCommand()
        self.motion = STANDING  # what comes of the command on this ground
        self.blocked_by: str | None = None
        self.camera_on = False
        self._stands_s = 0.0  # simulated
        self.mast = Mast()
        self.battery = Battery(settings.battery)
        self.traction = Traction(world.wheels, world.soft, world.seed)
        self.replace_world(world)

    def replace_world(self, world: World) -> None:
        """From now on this is what there is to bump into."""
        self._world = world
        self._ground = BlockingGround(world)

    @property
    def rests(self) -> bool:
        """Whether neither wheels nor mast were commanded for a while."""
        asked = self.command.speed != 0.0 or self.mast.moving
        return not asked and self._stands_s >= RESTS_AFTER_S

    def step(self, seconds: float) -> None:
        """Moves everything on by `seconds` of simulated time."""
        driving = self.command.speed != 0.0
        if driving:
            self._drive(seconds)
        else:
            self.motion, self.blocked_by = STANDING, None
        still = not driving and not self.mast.moving
        self._stands_s = self._stands_s + seconds if still else 0.0
        self.mast.step(seconds)
        self.battery.step(
            seconds, driving=driving, mast_moving=self.mast.moving, camera_on=self.camera_on
        )

    def _drive(self, seconds: float) -> None:
        motion = self.traction.motion(self.command, self.pose, self.attitude, seconds)
        there = advance(self.pose, motion, seconds)
        self.blocked_by = self._ground.met(self.pose, there)
        if self.blocked_by:
            self.motion = STANDING
            return
        self.motion, self.pose = motion, there
        self.attitude = settle(self._world.terrain, there)
