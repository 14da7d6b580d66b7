"""The battery of the rover: its charge at constant rates, and the voltage that it shows."""

from __future__ import annotations

from rover_common.config.settings import BatterySettings


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
