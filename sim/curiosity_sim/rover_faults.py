"""What the faults of the node `rover` do to its body and its messages."""

from __future__ import annotations

from collections.abc import Iterable

from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.world import World
from rover_common.config.settings.injected_faults import REMOVED

TF_JUMP_M = 5.0  # to the side, in every other second
CLOCK_JUMP_S = 60.0  # ahead while the fault is on, and back when it ends
LOW_CHARGE = 0.05


def apply_to_body(rover: Rover, active: frozenset[str]) -> None:
    """Faults of the body itself."""
    rover.traction.faulty = 'wheel_slip' in active
    rover.mast.jammed = 'mast_jammed' in active
    rover.battery.weak_charge = LOW_CHARGE if 'battery_low' in active else None


def removals(world: World) -> tuple[str, ...]:
    """The faults that remove something from a world."""
    return tuple(REMOVED + each.name for each in world.features if each.kind == 'rock')


def removed(active: Iterable[str]) -> frozenset[str]:
    """The names of what is taken away."""
    return frozenset(each.removeprefix(REMOVED) for each in active if each.startswith(REMOVED))


def tf_offset(active: frozenset[str], simulated: float) -> float:
    """How far the published pose is to the side of the true one, m."""
    return TF_JUMP_M * (int(simulated) % 2) if 'tf_jumping' in active else 0.0


def clock_offset(active: frozenset[str]) -> float:
    """What the published time is ahead of the simulated one, s."""
    return CLOCK_JUMP_S if 'clock_jump' in active else 0.0


def spoil_jpeg(active: frozenset[str], jpeg: bytes) -> bytes:
    """The bytes of a picture as they leave the camera."""
    return jpeg[: len(jpeg) // 3] if 'camera_corrupt' in active else jpeg
