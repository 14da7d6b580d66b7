"""The rover as a body: drive with wheel slip, mast and battery, stepped in simulated time."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from curiosity_sim.rover.attitude import Attitude, settle, wheel_places
from curiosity_sim.rover.kinematics import DriveCommand, advance
from curiosity_sim.rover.mast import Mast
from curiosity_sim.rover.rocks import RockObstacles
from curiosity_sim.rover.terrain import steepest
from curiosity_sim.rover.world import World
from rover_common.config.settings import BatterySettings, RoverSettings
from rover_common.config.settings.world import Feature, WheelSettings
from rover_common.geometry.planar_motion import Pose2D


class Battery:
    """Charge between 0 (empty) and 1 (full), changed at the constant rates of the configuration.

    The rates are chosen for tests and demonstrations, not from the rover's power budget: a real
    battery of 84 Ah would not show anything within minutes.
    """

    # Two lithium-ion batteries of Curiosity in parallel: 28 V, 42 Ah each.
    VOLTAGE_FULL_V = 32.8
    VOLTAGE_EMPTY_V = 24.0
    CAPACITY_AH = 84.0

    def __init__(self, settings: BatterySettings) -> None:
        self._settings = settings
        self._charge = settings.start
        self.weak_charge: float | None = None  # what is left while a fault makes it weak
        self.draining = False

    @property
    def charge(self) -> float:
        """0 (empty) to 1 (full)."""
        weak = self.weak_charge
        return self._charge if weak is None else min(self._charge, weak)

    @property
    def voltage(self) -> float:
        """Terminal voltage in V, linear in the charge."""
        span = self.VOLTAGE_FULL_V - self.VOLTAGE_EMPTY_V
        return self.VOLTAGE_EMPTY_V + span * self.charge

    def step(
        self, seconds: float, *, driving: bool, mast_moving: bool, camera_on: bool = False
    ) -> None:
        """Advance the time in the given activity."""
        rates = self._settings
        self.draining = driving or mast_moving
        change = rates.rest_gain_per_s
        if self.draining:
            change = -rates.drive_per_s * driving - rates.mast_per_s * mast_moving
        change -= rates.camera_per_s * camera_on
        self._charge = min(max(self._charge + change * seconds, 0.0), 1.0)


NOISE_PERIOD_S = 0.5  # duration of a deviation: stones are larger than one step
FAULTY_SLIP = 0.8  # lost when the fault wheel_slip is on


class Traction:
    """Turns a command into the motion that comes of it. Without slip and noise they are equal."""

    def __init__(self, wheels: WheelSettings, soft: Sequence[Feature], seed: int) -> None:
        self._wheels = wheels
        self._soft = soft
        self._rng = np.random.default_rng((seed, 4))
        self._deviation = (0.0, 0.0)
        self._left_s = 0.0
        self.faulty = False

    def motion(
        self, command: DriveCommand, pose: Pose2D, attitude: Attitude, seconds: float
    ) -> DriveCommand:
        """The command that frictionless wheels would need for the same motion."""
        speed, steering = self._noise(seconds)
        uphill = math.copysign(1.0, command.linear) * -attitude.pitch
        kept = max(1.0 - self.slip(pose, uphill), 0.0)
        return DriveCommand(
            command.linear * kept * (1.0 + speed), command.angular * (1.0 + steering)
        )

    def slip(self, pose: Pose2D, uphill: float) -> float:
        """The lost fraction of the motion; negative where a slope pulls the rover on.

        `uphill` is the slope in the direction of the motion, rad.
        """
        slip = self._wheels.slip + self._wheels.slip_per_slope * uphill
        for place in self._soft:
            if math.hypot(pose.x - place.x, pose.y - place.y) < place.size_m:
                slip = max(slip, place.slip)
        return max(slip, FAULTY_SLIP) if self.faulty else slip

    def _noise(self, seconds: float) -> tuple[float, float]:
        if not self._wheels.noise:
            return 0.0, 0.0
        self._left_s -= seconds
        if self._left_s <= 0.0:
            self._left_s += NOISE_PERIOD_S
            speed, steering = self._rng.normal(0.0, self._wheels.noise, 2).clip(-0.5, 0.5)
            self._deviation = float(speed), float(steering)
        return self._deviation


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
        self._obstacles = RockObstacles(world.rocks)

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
        self.blocked_by = self._hindrance(there)
        if self.blocked_by:
            self.motion = STANDING
            return
        self.motion, self.pose = motion, there
        self.attitude = settle(self._world.terrain, there)

    def _hindrance(self, there: Pose2D) -> str | None:
        rock = self._obstacles.met(self.pose, there)
        if rock:
            return f'{rock.name} at ({rock.x:.1f}, {rock.y:.1f}) m'
        terrain, limit = self._world.terrain, self._world.wheels.climbs_rad
        if terrain.level:
            return None
        slope = steepest(terrain, wheel_places(there))
        if slope > limit and slope > steepest(terrain, wheel_places(self.pose)):
            return f'a slope of {slope:.2f} rad, the limit is {limit:g} rad'
        return None
