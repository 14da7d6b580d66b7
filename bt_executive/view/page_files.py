"""The page's own files: one set of scripts and styles, live and in a report.

Classic scripts that share one scope, in this order. A report holds them as one text, because
modules cannot import each other inside of one file; a live page gets them as one file, because 26
requests to a browser that opens six connections take most of a second.
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
    'map_cross.js',
    'destination.js',
    'banner.js',
    'live.js',
)
FONT = 'vendor/japanese.woff2'  # live pages alone; made by .ci/page_font.py
FONT_STYLE = 'japanese.css'
FLEET_STYLES = (FONT_STYLE, 'stage.css', 'live.css', 'fleet.css')
FLEET_SCRIPTS = ('words.js', 'dom.js', 'connection.js', 'fleet.js')


def asset(name: str) -> str:
    """One of the page's files. `name`: as in STYLES and SCRIPTS."""
    return (files(PACKAGE) / 'static' / name).read_text('utf-8')


def style() -> str:
    """Return all styles as one text."""
    return '\n'.join(asset(name) for name in STYLES)


def live_style() -> str:
    """Return all styles of a live page, as one text."""
    return '\n'.join((asset(FONT_STYLE), style()))


def font() -> bytes:
    """Return the font for readers whose browser has no Japanese one."""
    return (files(PACKAGE) / 'static' / FONT).read_bytes()


def script() -> str:
    """Return the scripts of a page about a run that is over, as one text."""
    return '\n'.join(asset(name) for name in (*SCRIPTS, 'report.js'))


def live_script() -> str:
    """Return the scripts of a live page, as one text."""
    return '\n'.join(asset(name) for name in (*SCRIPTS, *LIVE_SCRIPTS))


def fleet_style() -> str:
    """Return the styles of a fleet's page, as one text."""
    return '\n'.join(asset(name) for name in FLEET_STYLES)


def fleet_script() -> str:
    """Return the scripts of a fleet's page, as one text."""
    return '\n'.join(asset(name) for name in FLEET_SCRIPTS)
