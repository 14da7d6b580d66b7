"""Options of a system without what costs much processor time and most tests do not look at."""

from __future__ import annotations

NAVIGATING = (
    *('--without', 'visualizer', '--without', 'memory', '--without', 'vision'),
    *('--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120'),
)
# A goal would wait for the navigator that its tools need: 15 s.
LEAN = (
    *(*NAVIGATING, '--without', 'curiosity_navigation'),
    *(
        '--set',
        'skills.navigate_to.ready_when=[]',
        '--set',
        'skills.go_to_remembered.ready_when=[]',
    ),
)
