"""Writes every named thing of a world as GML: `python -m curiosity_sim.scene_logger FILE`.

The direct logger of spec 5: what an explorer would have seen in the end, without driving. The file
is a `topological_graph.gml` that `bt-executive memory` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import sys

from curiosity_sim.rover.world import World, make_world
from curiosity_sim.writing_commands import run_writing
from rover_common.config.settings import Config


def world_as_gml(world: World, frame: str) -> str:
    """A directed graph with a node for each named thing, and no edge. m in `frame`."""
    nodes = ''.join(_node(number, world, frame) for number in range(len(world.features)))
    return f'graph [\n  directed 1\n  multigraph 1\n{nodes}]\n'


def _node(number: int, world: World, frame: str) -> str:
    lines = ''.join(f'    {each}\n' for each in _keys(number, world, frame))
    return f'  node [\n{lines}  ]\n'


def _keys(number: int, world: World, frame: str) -> Iterator[str]:
    feature = world.features[number]
    ground = world.terrain.height(feature.x, feature.y)
    yield f'id {number}'
    yield f'label "object_{number + 1}"'
    yield 'type "object"'
    yield 'level 0'
    yield f'name "{_text(feature.name)}"'
    yield f'category "{feature.kind}"'
    if feature.caption:
        yield f'caption "{_text(feature.caption)}"'
    yield f'position [ x {feature.x:.3f} y {feature.y:.3f} z {float(ground):.3f} ]'
    yield f'radius_m {feature.size_m:.3f}'
    yield f'frame_id "{frame}"'


def _text(text: str) -> str:
    """As GML has it: ASCII, with signs beyond it and those that end a text as entities."""
    plain = text.replace('&', '&amp;').replace('"', '&#34;')
    return ''.join(each if each.isascii() else f'&#{ord(each)};' for each in plain)


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit code."""
    return run_writing('curiosity_sim.scene_logger', 'GML', _gml, argv)


def _gml(config: Config) -> bytes:
    world = make_world(config.curiosity.rover)
    return world_as_gml(world, config.topics.tf.world_frame).encode('ascii')


if __name__ == '__main__':
    sys.exit(main())
