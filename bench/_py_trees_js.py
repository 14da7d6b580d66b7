"""The JavaScript library of py-trees-tree-viewer, fetched from PyPI, on a page of Chromium.

Its wheel has the scripts as compiled resources of Qt, which are read here without Qt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
import struct
import subprocess
import sys
from typing import Any
import zipfile
import zlib

from py_trees_ros_interfaces.msg import Behaviour, BehaviourTree

from bench._browser import Page

PACKAGE = 'py-trees-js'
SCRIPTS = ('dagre', 'graphlib', 'jquery', 'lodash', 'backbone', 'joint', 'py_trees')  # in order
STATUS = ('INVALID', 'INVALID', 'RUNNING', 'SUCCESS', 'FAILURE')  # by the numbers of the message
DIRECTORY, COMPRESSED = 2, 1
# Draws as the viewer's own page does, under the names it has there, and waits for the paint.
DRAW = """
console.log = () => {};
canvas_graph = py_trees.canvas.create_graph();
canvas_paper = py_trees.canvas.create_paper({graph: canvas_graph});
timeline_graph = py_trees.timeline.create_graph({event_cache_limit: 100});
timeline_paper = py_trees.timeline.create_paper({timeline_graph, canvas_graph, canvas_paper});
draw = (tree) => new Promise((drawn) => {
  const began = performance.now();
  py_trees.timeline.add_tree_to_cache({timeline_graph, canvas_graph, canvas_paper, tree});
  requestAnimationFrame(() => setTimeout(() => drawn(performance.now() - began)));
});
true;
"""


def fetch(folder: Path) -> str:
    """Puts the library's files and a page into `folder`; returns why it could not, if so."""
    command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', PACKAGE]
    try:
        done = subprocess.run(
            [*command, '--dest', str(folder)], capture_output=True, text=True, timeout=120.0
        )
    except subprocess.TimeoutExpired:
        return f'{PACKAGE} could not be downloaded within 120 s'
    wheel = next(folder.glob('py_trees_js-*.whl'), None)
    if wheel is None:
        return f'{PACKAGE} could not be downloaded: {done.stderr.strip()[-300:]}'
    with zipfile.ZipFile(wheel) as packed:
        source = packed.read('py_trees_js/resources.py').decode()
    files = dict(_resources(source))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    scripts = [
        name for part in SCRIPTS for name in files if name.startswith(part) and '.js' in name
    ]
    styles = [name for name in files if name.endswith('.css')]
    lines = [
        '<!doctype html><meta charset="utf-8">',
        *(f'<link rel="stylesheet" href="{name}">' for name in styles),
        *(f'<script src="{name}"></script>' for name in scripts),
        '<body style="margin: 0; height: 100%"><div id="canvas"></div><div id="timeline"></div>',
    ]
    (folder / 'index.html').write_text('\n'.join(lines), 'utf-8')
    return ''


def opened(page: Page, folder: Path) -> Page:
    """The page, ready to draw."""
    page.size(1280, 800)
    page.open((folder / 'index.html').as_uri())
    page.until('typeof py_trees !== "undefined" && document.readyState === "complete"')
    page.do(DRAW)
    return page


def as_js(message: BehaviourTree) -> dict[str, Any]:
    """A snapshot in the form in which the viewer hands it to the library."""
    behaviours = {_id(each.own_id): _behaviour(each) for each in reversed(message.behaviours)}
    return {
        'changed': 'true' if message.changed else 'false',
        'timestamp': message.statistics.stamp.sec,
        'visited_path': [_id(each.own_id) for each in message.behaviours if each.is_active],
        'behaviours': behaviours,
    }


def _behaviour(behaviour: Behaviour) -> dict[str, Any]:
    return {
        'id': _id(behaviour.own_id),
        'status': STATUS[behaviour.status],
        'name': behaviour.name,
        'colour': '#00FFFF',
        'details': behaviour.additional_detail,
        'children': [_id(each) for each in behaviour.child_ids],
        'data': {'Class': behaviour.class_name, 'Feedback': behaviour.message},
    }


def _id(behaviour: Any) -> str:
    return bytes(behaviour.uuid).hex()


def _resources(source: str) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file in a Python source that Qt's resource compiler has written."""
    resource = {
        each.targets[0].id: each.value.value
        for each in ast.parse(source).body
        if isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Name)
        and isinstance(each.value, ast.Constant)
        and isinstance(each.value.value, bytes)
    }
    names, content = resource['qt_resource_name'], resource['qt_resource_data']
    entries = struct.iter_unpack('>IHII', resource['qt_resource_struct_v1'])
    for at, flags, _, start in entries:
        if flags & DIRECTORY:
            continue
        (letters,) = struct.unpack_from('>H', names, at)
        (size,) = struct.unpack_from('>I', content, start)
        raw = content[start + 4 : start + 4 + size]
        name = names[at + 6 : at + 6 + 2 * letters].decode('utf-16-be')
        yield name, zlib.decompress(raw[4:]) if flags & COMPRESSED else raw
