"""Noise that tiles: the raw material of ground and hills."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def fractal_noise(rng: Generator, size: int, slope: float, longest: float = 1.0) -> Floats:
    """A square of noise with mean 0 and deviation 1 that continues at its opposite edge.

    Args:
        rng: Source of chance.
        size: Edge in samples.
        slope: Amplitude falls with frequency to this power; larger is smoother.
        longest: Longest wave, as a fraction of the edge.
    """
    rows = (np.fft.fftfreq(size)[:, None] * size).astype(np.float32)
    columns = (np.fft.rfftfreq(size)[None, :] * size).astype(np.float32)
    waves = np.sqrt(rows**2 + columns**2)
    strength = np.where(waves * longest >= 1.0, np.maximum(waves, 1.0) ** -slope, 0.0)
    phases = rng.uniform(0.0, 2.0 * np.pi, strength.shape).astype(np.float32)
    spectrum = np.empty(strength.shape, np.complex64)
    spectrum.real, spectrum.imag = strength * np.cos(phases), strength * np.sin(phases)
    return _normal(np.fft.irfft2(spectrum, s=(size, size)))


def fractal_line(rng: Generator, size: int, slope: float) -> Floats:
    """The same along a closed line."""
    waves = np.arange(size // 2 + 1)
    strength = np.where(waves > 0, np.maximum(waves, 1) ** -slope, 0.0)
    phases = rng.uniform(0.0, 2.0 * np.pi, strength.shape)
    return _normal(np.fft.irfft(strength * np.exp(1j * phases), n=size))


def _normal(values: NDArray[np.floating]) -> Floats:
    return np.asarray((values - values.mean()) / values.std(), np.float32)
