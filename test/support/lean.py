"""Options of a system without what costs much processor time and most tests do not look at."""

from __future__ import annotations

NAVIGATING = (
    *('--without', 'visualizer', '--without', 'memory', '--without', 'vision'),
    *('--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120'),
)
LEAN = (*NAVIGATING, '--without', 'curiosity_navigation')
