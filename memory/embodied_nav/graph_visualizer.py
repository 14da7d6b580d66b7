"""`graph_visualizer FILE.gml [PAGE.html]`: one page with levels, search, timeline and map.

Drawn with plotly, whose script is in the page. Texts of nodes are untrusted: plotly would
interpret tags in them as markup, so they are removed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from html import escape
import json
from pathlib import Path
import sys
from typing import Any

from embodied_nav.experiment import run_reporting
from embodied_nav.gml.gml_import import read_gml
from embodied_nav.nodes_of_forest import Node
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra
from rover_common.process.standard_streams import accept_every_text
from rover_common.text_sanitizing import sanitize_line

LONGEST_TEXT = 300  # characters of a node, in the page
COLOURS = ('#3b6ea8', '#d98c2b', '#4f9d5d', '#b5483a', '#7d5fa8', '#6b6b6b')
HEIGHT = 760  # px

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
<main>
<h1 style="font:600 20px sans-serif;margin:8px">{title}</h1>
{drawn}
</main>
</body>
</html>
"""
_SEARCH = """
const box = document.createElement('input');
box.placeholder = 'search names, labels and captions';
box.setAttribute('aria-label', 'search');
box.style.cssText = 'font:16px sans-serif;padding:6px;margin:8px;width:24em';
const count = document.createElement('span');
count.style.cssText = 'font:14px sans-serif;color:#555';
const plot = document.getElementById('forest');
plot.before(box, count);
box.addEventListener('input', () => {
  const wanted = box.value.toLowerCase();
  let found = 0;
  const chosen = plot.data.map((trace) => {
    if (!trace.customdata || trace.mode === 'lines') return null;
    const at = [];
    trace.customdata.forEach((text, number) => {
      if (wanted && String(text).toLowerCase().includes(wanted)) at.push(number);
    });
    if (trace.xaxis !== 'x2') found += at.length;
    return wanted ? at : null;
  });
  Plotly.restyle(plot, {selectedpoints: chosen});
  count.textContent = wanted ? ` ${found} found` : '';
});
"""


def write_page(path: Path, nodes: Sequence[Node], title: str) -> None:
    """Write the page.

    Raises:
        MemoryStoreError: plotly is missing; which extra brings it.
    """
    title = sanitize_line(title, LONGEST_TEXT)
    drawn = _figure(nodes).to_html(
        include_plotlyjs=True, full_html=False, div_id='forest', post_script=_SEARCH
    )
    path.write_text(_PAGE.format(title=escape(title), drawn=drawn), encoding='utf-8')


def _figure(nodes: Sequence[Node]) -> Any:
    try:
        from plotly.graph_objects import Scatter
        from plotly.subplots import make_subplots
    except ImportError:
        raise MemoryStoreError(needs_extra('The page of a memory', 'memory-page')) from None
    figure = make_subplots(
        rows=2, cols=1, row_heights=[0.78, 0.22], subplot_titles=('Map', 'Last seen')
    )
    figure.add_trace(Scatter(**_edges(nodes)), row=1, col=1)
    for level in sorted({node.level for node in nodes}):
        some = [node for node in nodes if node.level == level]
        figure.add_trace(Scatter(**_points(some, level)), row=1, col=1)
        if level == 0:
            figure.add_trace(Scatter(**_times(some)), row=2, col=1)
    figure.update_xaxes(title_text='x, east (m)', row=1, col=1)
    figure.update_yaxes(title_text='y, north (m)', scaleanchor='x', row=1, col=1)
    figure.update_xaxes(title_text='ROS time (s)', row=2, col=1)
    figure.update_yaxes(title_text='label', row=2, col=1)
    figure.update_layout(height=HEIGHT)
    return figure


def _points(nodes: Sequence[Node], level: int) -> dict[str, Any]:
    return {
        'x': [node.position[0] for node in nodes],
        'y': [node.position[1] for node in nodes],
        'mode': 'markers',
        'name': f'level {level} ({len(nodes)})',
        'customdata': [_hover_text(node) for node in nodes],
        'hovertemplate': '%{customdata}<extra></extra>',
        'marker': {
            'size': 7 + 4 * level,
            'color': COLOURS[level % len(COLOURS)],
            'opacity': 0.9 if level == 0 else 0.45,
            'symbol': 'circle' if level == 0 else 'square',
        },
        'selected': {'marker': {'color': '#d40000', 'opacity': 1.0}},
        'unselected': {'marker': {'opacity': 0.12}},
    }


def _times(nodes: Sequence[Node]) -> dict[str, Any]:
    return {
        'x': [node.last_seen for node in nodes],
        'y': [sanitize_line(node.label or 'thing', 30) for node in nodes],
        'mode': 'markers',
        'showlegend': False,
        'customdata': [_hover_text(node) for node in nodes],
        'hovertemplate': '%{customdata}<extra></extra>',
        'marker': {'size': 7, 'color': COLOURS[0]},
        'selected': {'marker': {'color': '#d40000'}},
    }


def _edges(nodes: Sequence[Node]) -> dict[str, Any]:
    """Return lines from each node to its area."""
    by_id = {node.node_id: node for node in nodes}
    x: list[float | None] = []
    y: list[float | None] = []
    for node in nodes:
        if above := by_id.get(node.parent):
            x += [node.position[0], above.position[0], None]
            y += [node.position[1], above.position[1], None]
    return {
        'x': x,
        'y': y,
        'mode': 'lines',
        'name': 'part of',
        'hoverinfo': 'skip',
        'line': {'width': 1, 'color': '#bbbbbb'},
    }


def _hover_text(node: Node) -> str:
    description = node.caption or node.summary
    text = f'{node.node_id}: {node.name}' + (f' ({node.label})' if node.label else '')
    state = node.state.value.lower()
    whole = f'{text}. {description} Seen last at {node.last_seen:.0f} s, {state}.'
    return json.dumps(sanitize_line(whole, LONGEST_TEXT), ensure_ascii=False)[1:-1]


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
