"""`generate_semantic_forest IN.gml [OUT.gml]`: areas for a graph of things (spec 5, offline)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
import sys

from embodied_nav.config import ENHANCED
from embodied_nav.experiment import add_models, models_of, run_reporting
from embodied_nav.spatial_memory import open_memory
from rover_common.process.standard_streams import accept_every_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the things, build their areas, write the enhanced graph."""
    accept_every_text()
    parser = argparse.ArgumentParser(prog='generate_semantic_forest', description=__doc__)
    parser.add_argument('graph', type=Path, metavar='IN', help='for example topological_graph.gml')
    parser.add_argument(
        'out', type=Path, nargs='?', metavar='OUT', help=f'default: {ENHANCED} beside IN'
    )
    add_models(parser)
    options = parser.parse_args(arguments)
    out = options.out or options.graph.with_name(ENHANCED)
    return run_reporting(lambda: _generate(options, out))


def _generate(options: argparse.Namespace, out: Path) -> None:
    models = models_of(options)
    memory = open_memory(':memory:', models.embedder, chat=models.chat)
    try:
        count = memory.import_gml(options.graph)
        areas = memory.build()
        named = memory.name_areas()
        memory.export_gml(out)
    finally:
        memory.close()
    print(f'{count} nodes read, {areas} areas made: {out}. {named}'.rstrip())


if __name__ == '__main__':
    sys.exit(main())
