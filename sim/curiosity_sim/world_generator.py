"""Writes a world of many named things: `python -m curiosity_sim.world_generator [--seed N]`.

The same options give the same world. config/worlds/badlands.yaml is the one without options.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import math
import sys

import numpy as np
from numpy.random import Generator

from rover_common.process.standard_streams import accept_every_text

MOST = 120  # names that there are
FREE_M = 8.0  # around the start
BETWEEN_M = 3.0  # between two things, at least: the rover passes
TRIALS = 10_000

_FIRST = (
    'Amber',
    'Broken',
    'Cold',
    'Dusty',
    'Early',
    'Gentle',
    'Hollow',
    'Lonely',
    'Silent',
    'Tall',
)
_SECOND = (
    *('Anvil', 'Beacon', 'Castle', 'Drum', 'Elbow', 'Ferry', 'Gate', 'Harp'),
    *('Island', 'Kettle', 'Ladder', 'Mirror'),
)
_COLOURS = {
    'pale': (196, 186, 172), 'reddish': (150, 74, 52), 'grey': (110, 104, 100),
    'dark': (70, 62, 60), 'bluish': (84, 98, 128), 'ochre': (170, 124, 72),
}  # fmt: skip
_FORMS = (
    'layered rock with thin bands', 'rounded boulder without edges', 'flat slab like a table',
    'pointed rock like a tooth', 'block split in the middle', 'rock full of small holes',
    'vein of bright mineral', 'heap of angular fragments',
)  # fmt: skip
_SANDS = ('soft sand in broad ripples', 'fine dust in a hollow', 'smooth drift of sand')


@dataclass(frozen=True)
class Placed:
    """A thing that has its place."""

    x: float
    y: float
    size: float
    line: str


def features(seed: int, count: int, radius_m: float) -> list[Placed]:
    """Place `count` things in a disc around the start.

    Raises:
        ValueError: There are not enough names, or there is no space.
    """
    if not 0 <= count <= MOST:
        raise ValueError(f'count is {count}: there are names for up to {MOST} things')
    rng = np.random.default_rng(seed)
    names = [f'{a} {b}' for a in _FIRST for b in _SECOND]
    placed: list[Placed] = []
    for name in rng.permutation(names)[:count]:
        is_sand = rng.random() < 0.12
        size = float(rng.uniform(1.5, 3.5) if is_sand else rng.uniform(0.4, 1.6))
        x, y = _free_place(rng, placed, size, radius_m)
        line = _sand(rng, name, size) if is_sand else _rock(rng, name, size)
        placed.append(Placed(x, y, size, line.format(x=f'{x:.1f}', y=f'{y:.1f}')))
    return placed


def _free_place(
    rng: Generator, placed: Sequence[Placed], size: float, radius_m: float
) -> tuple[float, float]:
    for _ in range(TRIALS):
        distance = radius_m * math.sqrt(rng.random())
        bearing = rng.uniform(-math.pi, math.pi)
        x, y = distance * math.cos(bearing), distance * math.sin(bearing)
        apart = (math.dist((x, y), (each.x, each.y)) - each.size for each in placed)
        if distance > FREE_M + size and all(gap > size + BETWEEN_M for gap in apart):
            return round(x, 1), round(y, 1)
    raise ValueError(f'radius_m is {radius_m:g}: there is no room for so many things')


def _rock(rng: Generator, name: str, size: float) -> str:
    colour_name, colour = list(_COLOURS.items())[rng.integers(len(_COLOURS))]
    height = size * rng.uniform(0.5, 1.4)
    form = _FORMS[rng.integers(len(_FORMS))]
    return (
        f'{{{{ name: "{name}", kind: rock, x: {{x}}, y: {{y}}, size_m: {size:.2f}, '
        f'height_m: {height:.2f}, colour: {list(colour)}, caption: "{colour_name} {form}" }}}}'
    )


def _sand(rng: Generator, name: str, size: float) -> str:
    caption = _SANDS[rng.integers(len(_SANDS))]
    return (
        f'{{{{ name: "{name}", kind: sand, x: {{x}}, y: {{y}}, size_m: {size:.2f}, slip: 0.4, '
        f'caption: "{caption}" }}}}'
    )


def world_file(seed: int, count: int, radius_m: float) -> str:
    """The whole file."""
    return '\n'.join(_lines(seed, count, radius_m)) + '\n'


def _lines(seed: int, count: int, radius_m: float) -> Iterator[str]:
    yield (
        f'# Made by: python -m curiosity_sim.world_generator --seed {seed} --count {count} '
        f'--radius {radius_m:g}'
    )
    yield f'description: "{count} named rocks and sands in {2 * radius_m:g} m, to get lost in."'
    yield f'seed: {seed}'
    yield 'terrain: { relief_m: 0.25, wavelength_m: 36.0, level_radius_m: 6.0 }'
    yield 'wheels: { slip: 0.02, slip_per_slope: 0.2, noise: 0.01 }'
    yield 'rocks: { count: 120, lane_m: 12.0 }'
    yield 'features:'
    for each in features(seed, count, radius_m):
        yield f'  - {each.line}'


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit code: 2 if there cannot be such a world."""
    accept_every_text()
    parser = argparse.ArgumentParser(prog='python -m curiosity_sim.world_generator')
    parser.add_argument('--seed', type=int, default=5, metavar='N', help='another world for each')
    parser.add_argument('--count', type=int, default=100, metavar='N', help='of named things')
    parser.add_argument('--radius', type=float, default=100.0, metavar='M', help='of the disc')
    options = parser.parse_args(argv)
    try:
        sys.stdout.write(world_file(options.seed, options.count, options.radius))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
