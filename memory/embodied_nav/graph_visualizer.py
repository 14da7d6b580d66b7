"""`graph_visualizer FILE.gml [PAGE.html]`: one page with levels, search, timeline and map."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
import sys

from embodied_nav.experiment import run_reporting
from embodied_nav.gml.gml_reader import read_gml
from embodied_nav.graph_page import write_page
from rover_common.process.standard_streams import accept_every_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the graph and write the page."""
    accept_every_text()
    parser = argparse.ArgumentParser(prog='graph_visualizer', description=__doc__)
    parser.add_argument('graph', type=Path, metavar='FILE', help='a GML file of places')
    parser.add_argument('page', type=Path, nargs='?', help='default: FILE with .html')
    options = parser.parse_args(arguments)
    page = options.page or options.graph.with_suffix('.html')
    return run_reporting(lambda: _draw(options.graph, page))


def _draw(graph: Path, page: Path) -> None:
    write_page(page, read_gml(graph).nodes, graph.name)
    print(page)


if __name__ == '__main__':
    sys.exit(main())
