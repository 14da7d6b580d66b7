"""The health of the adapter's parts for /diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from curiosity_adapter.adapter_parts import ANY_MOTION, AdapterParts
from curiosity_adapter.rover_services import RoverClient
from rover_common.config.settings import RoverServices
from rover_common.diagnostic_status import Health, Part, error, stale, warning


class AdapterHealth:
    """Reports the health of the adapter's parts.

    Args:
        parts: The parts.
        rover: The rover's services.
        last_refusal: Returns the latest reason for which a request was refused.
        clock: Steady time in s.
    """

    def __init__(
        self,
        parts: AdapterParts,
        rover: RoverClient,
        last_refusal: Callable[[], str | None],
        clock: Callable[[], float],
    ) -> None:
        self._parts = parts
        self._rover = rover
        self._last_refusal = last_refusal
        self._clock = clock

    def parts(self) -> tuple[Part, ...]:
        """Return the parts for /diagnostics."""
        return (
            Part('deadman', self._deadman, self._deadman_figures),
            Part('motion', self._motion, self._motion_figures),
            Part('mast', self._mast, self._mast_figures),
            Part('rover services', self._services),
        )

    def _deadman(self) -> Health:
        state = self._parts.deadman.state(self._clock())
        if state == 'manual':
            return warning('manual mode: the rover may move unwatched')
        if state == 'armed':
            return Health()
        silence = self._parts.deadman.silence(self._clock())
        return error(f'stopped the rover: {silence}') if state == 'fired' else stale(silence)

    def _deadman_figures(self) -> Mapping[str, Any]:
        now, deadman = self._clock(), self._parts.deadman
        return {'state': deadman.state(now), 'heartbeat_age_s': deadman.age(now)}

    def _motion(self) -> Health:
        doubt = self._parts.base.doubt
        if doubt:
            return error(doubt)
        if self._parts.poses.pose(self._clock()) is None:
            return stale('the position is not known: no new transform')
        refusal = self._parts.limits.refusal(ANY_MOTION)
        return warning(refusal.sentence) if refusal else Health()

    def _motion_figures(self) -> Mapping[str, Any]:
        exclusivity, pose = self._parts.exclusivity, self._parts.poses.latest
        return {
            'motion': exclusivity.navigation_goal or exclusivity.motion or 'none',
            'last_refusal': self._last_refusal() or 'none',
            'tilt_rad': pose and pose.tilt,
            'battery_pct': self._parts.limits.battery_pct,
            **self._parts.limits.as_dict(),
        }

    def _mast(self) -> Health:
        silence = self._parts.mast.silence
        return stale(silence.sentence) if silence else Health()

    def _mast_figures(self) -> Mapping[str, Any]:
        exclusivity, mast = self._parts.exclusivity, self._parts.mast
        return {
            'state': exclusivity.mast,
            'command': exclusivity.mast_command or 'none',
            'joint_states_age_s': mast.joints_age_s,
            **mast.joints,
        }

    def _services(self) -> Health:
        absent = [key for key in RoverServices.model_fields if not self._rover.offers(key)]
        if absent:
            return error(f'absent: {", ".join(absent)}; start the control nodes of the rover')
        return Health()
