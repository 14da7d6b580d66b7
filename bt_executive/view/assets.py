"""The page's own files: one set of scripts and styles, live and in a report.

Classic scripts that share one scope, in this order: a report holds them as one text, because
modules cannot import each other inside of one file.
"""

from __future__ import annotations

from importlib.resources import files

PACKAGE = 'bt_executive.view'
STYLES = ('vendor/uPlot.min.css', 'stage.css', 'parts.css', 'live.css')
SCRIPTS = (
    'vendor/uPlot.iife.min.js',
    'words.js',
    'dom.js',
    'model.js',
    'clock.js',
    'map.js',
    'camera.js',
    'timeline.js',
    'charts.js',
    'tree.js',
    'virtual_list.js',
    'decisions.js',
    'now.js',
    'head.js',
    'details.js',
    'stage.js',
)
LIVE_SCRIPTS = (
    'connection.js',
    'toasts.js',
    'teleop.js',
    'requests.js',
    'controls.js',
    'destination.js',
    'banner.js',
    'live.js',
)


def asset(name: str) -> str:
    """One of the page's files. `name`: as in STYLES and SCRIPTS."""
    return (files(PACKAGE) / 'static' / name).read_text('utf-8')


def style() -> str:
    """All styles as one text."""
    return '\n'.join(asset(name) for name in STYLES)


def script() -> str:
    """The scripts of a page about a run that is over, as one text."""
    return '\n'.join(asset(name) for name in (*SCRIPTS, 'report.js'))
