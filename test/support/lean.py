"""A whole system without what costs much processor time and is not looked at by most tests."""

from __future__ import annotations

NO_NAVIGATOR = ('--without', 'curiosity_navigation')
LEAN = (
    *('--without', 'visualizer', '--without', 'memory', '--without', 'vision'),
    *('--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120'),
)
