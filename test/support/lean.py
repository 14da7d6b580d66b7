"""Options of a system without what takes long and most tests do not look at."""

from __future__ import annotations

HALF_WAY = ('--set', 'rover.start.x=2.6')  # one nudge away from bright
IN_THE_LIGHT = ('--set', 'rover.start.x=5.0')  # the first picture is good
NAVIGATING = (
    *('--without', 'visualizer', '--without', 'memory', '--without', 'vision'),
    *('--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120'),
)
# Nobody takes a picture, so that none is drawn.
BLIND = ('--without', 'environment_simulator')
# A goal would wait 15 s for the navigator that these need.
NAVIGATORS_TOOLS = ('navigate_to', 'go_to_remembered')
LEAN = (
    *(*NAVIGATING, '--without', 'curiosity_navigation'),
    *(f'--set=tools.{tool}.ready_when=[]' for tool in NAVIGATORS_TOOLS),
)
