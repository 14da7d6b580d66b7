"""`generate_semantic_forest IN.gml [OUT.gml]`: areas for a graph of things (spec 5, offline)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
import sys

from embodied_nav.experiment import told
from embodied_nav.gml.file import ENHANCED
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from rover_common.process.standard_streams import take_every_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the things, builds their areas, writes the enhanced graph."""
    take_every_text()
    parser = argparse.ArgumentParser(prog='generate_semantic_forest', description=__doc__)
    parser.add_argument('graph', type=Path, metavar='IN', help='for example topological_graph.gml')
    parser.add_argument(
        'out', type=Path, nargs='?', metavar='OUT', help=f'default: {ENHANCED} beside IN'
    )
    options = parser.parse_args(arguments)
    out = options.out or options.graph.with_name(ENHANCED)
    return told(lambda: _generate(options.graph, out))


def _generate(graph: Path, out: Path) -> None:
    memory: SpatialMemory = open_memory(':memory:')
    try:
        count = memory.import_gml(graph)
        areas = memory.build()
        memory.export_gml(out)
    finally:
        memory.close()
    print(f'{count} nodes read, {areas} areas made: {out}')


if __name__ == '__main__':
    sys.exit(main())
