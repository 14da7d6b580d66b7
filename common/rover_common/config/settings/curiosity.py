"""Section `curiosity` of robot.yaml: adapter, environment simulator and rover stand-in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from rover_common.config.settings.injected_faults import Fault
from rover_common.config.settings.section import (
    Fraction,
    Metres,
    Positive,
    Radians,
    Seconds,
    Section,
)
from rover_common.config.settings.world import WorldSettings


class MastSettings(Section):
    """The positions of the mast's joints that count as open, closed and swept."""

    tilt_joint: str
    pan_joint: str
    cameras_joint: str
    open_tilt_rad: Radians
    closed_tilt_rad: Radians
    tolerance_rad: Annotated[float, Field(gt=0.0)]
    move_timeout_s: Seconds
    rotate_timeout_s: Seconds
    rotate_pan_rad: Radians
    settle_s: Seconds
    joint_states_max_age_s: Seconds

    @model_validator(mode='after')
    def _check_tilts_differ(self) -> MastSettings:
        if abs(self.open_tilt_rad - self.closed_tilt_rad) <= 2.0 * self.tolerance_rad:
            raise ValueError(
                f'open_tilt_rad ({self.open_tilt_rad}) and closed_tilt_rad '
                f'({self.closed_tilt_rad}) must be further apart than twice tolerance_rad '
                f'({self.tolerance_rad}): an open mast would count as closed'
            )
        return self


class MotionSettings(Section):
    """Bounds of motions in the adapter."""

    longest_s: Seconds
    max_tilt_rad: Annotated[float, Field(gt=0.0, le=1.6)]
    battery_floor_pct: Annotated[float, Field(ge=0.0, le=100.0)]
    keep_out_margin_m: Annotated[float, Field(ge=0.0)]
    pose_max_age_s: Seconds
    unasked_speed_m_s: Annotated[float, Field(gt=0.0)]
    unasked_window_s: Seconds
    coasting_s: Seconds
    service_wait_s: Seconds
    stop_retry_s: Seconds
    status_period_s: Seconds


class DeadmanSettings(Section):
    """Silence of the executive after which the adapter stops the rover."""

    timeout_s: Seconds
    check_period_s: Seconds
    manual_mode: bool

    @model_validator(mode='after')
    def _in_time(self) -> DeadmanSettings:
        if self.timeout_s + self.check_period_s > 0.45:
            raise ValueError('timeout_s + check_period_s must stay below 0.45 s to stop in 0.5 s')
        return self


class ScanSettings(Section):
    """Which echoes of the rangefinder are obstacles, and how many cells of them are remembered."""

    required: bool
    frame: str
    max_age_s: Seconds
    max_range_m: Positive
    lowest_m: Metres
    highest_m: Metres
    memory_m: Positive
    max_cells: Annotated[int, Field(ge=100, le=20_000)]

    @model_validator(mode='after')
    def _remembers_what_it_sees(self) -> ScanSettings:
        if self.memory_m < self.max_range_m:
            raise ValueError(
                f'memory_m ({self.memory_m}) must not be below max_range_m ({self.max_range_m}): '
                'what is seen would be forgotten at once'
            )
        return self

    @model_validator(mode='after')
    def _has_inside(self) -> ScanSettings:
        if self.lowest_m >= self.highest_m:
            raise ValueError(
                f'lowest_m ({self.lowest_m}) must be below highest_m ({self.highest_m}): '
                'no echo would be an obstacle'
            )
        return self


class NavigationSettings(Section):
    """How the navigator drives to a place."""

    forward_m_s: Positive
    turn_m_s: Positive
    turn_radius_m: Positive
    tolerance_m: Positive
    heading_tolerance_rad: Positive
    farthest_m: Positive
    length_m: Positive
    width_m: Positive
    clearance_m: Positive
    nearest_m: Positive
    stop_lead_s: Annotated[float, Field(ge=0.0)]
    deviation_m: Positive
    stuck_s: Seconds
    timeout_factor: Annotated[float, Field(ge=1.0)]
    timeout_slack_s: Seconds
    scan: ScanSettings

    @model_validator(mode='after')
    def _roomy(self) -> NavigationSettings:
        if self.clearance_m < self.nearest_m:
            raise ValueError(f'clearance_m ({self.clearance_m}) must not be below nearest_m')
        return self


class SimulatorSettings(Section):
    """The environment simulator."""

    image_max_age_s: Seconds
    tf_max_age_s: Seconds
    darkest_gain: Fraction
    jpeg_quality: Annotated[int, Field(ge=1, le=100)]


class StartPose(Section):
    """The rover's place at start, in the odom frame; null: that of the world."""

    x: Metres | None = None
    y: Metres | None = None
    yaw_rad: Radians | None = None


class CameraSettings(Section):
    """The mast camera."""

    width: Annotated[int, Field(ge=16, le=4096)]
    height: Annotated[int, Field(ge=16, le=4096)]
    horizontal_fov_rad: Annotated[float, Field(gt=0.1, lt=3.0)]
    rate_hz: Annotated[float, Field(gt=0.0, le=60.0)]


class DetectorSettings(Section):
    """The detector of named things; it points ahead from the rover's body."""

    range_m: Positive
    horizontal_fov_rad: Annotated[float, Field(gt=0.1, le=6.3)]
    rate_hz: Annotated[float, Field(gt=0.0, le=20.0)]
    noise_per_m: Fraction
    missed: Fraction


class BatterySettings(Section):
    """Charge of the rover's battery as a fraction, and its change per second."""

    start: Fraction
    drive_per_s: Fraction
    mast_per_s: Fraction
    camera_per_s: Fraction
    rest_gain_per_s: Fraction


class RoverSettings(Section):
    """The stand-in for Gazebo. Null: as in its world."""

    world: WorldSettings  # in the file: the name of a world in config/worlds/, or a path
    seed: Annotated[int, Field(ge=0)] | None = None
    speed_factor: Annotated[float, Field(gt=0.0, le=100.0)]
    start: StartPose = StartPose()
    rocks: Annotated[int, Field(ge=0, le=5000)] | None = None
    faults: Annotated[tuple[Fault, ...], Field(strict=False)] = ()
    camera: CameraSettings
    detector: DetectorSettings
    battery: BatterySettings


class CuriositySettings(Section):
    """Section `curiosity` of robot.yaml: adapter, environment simulator and rover stand-in."""

    mast: MastSettings
    motion: MotionSettings
    deadman: DeadmanSettings
    navigation: NavigationSettings
    simulator: SimulatorSettings
    rover: RoverSettings
