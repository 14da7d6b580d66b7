"""Options of a system without what takes long and most tests do not look at."""

from __future__ import annotations

# One nudge away from bright, which is a short one.
HALF_WAY = ('--set', 'rover.start.x=3.4', '--set', 'move.nudge_duration_sec=2.0')
IN_THE_LIGHT = ('--set', 'rover.start.x=5.0')  # the first picture is good
NAVIGATING = (
    *('--without', 'visualizer', '--without', 'memory', '--without', 'vision'),
    *('--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120'),
)
# Nobody takes a picture, so that none is drawn. A goal would wait 15 s for it; as it would for the
# navigator that the tools below need.
BLIND = (
    *('--without', 'environment_simulator'),
    *('--set', 'tools.capture_and_score.ready_when=[]'),
)
NAVIGATORS_TOOLS = ('navigate_to', 'go_to_remembered')
LEAN = (
    *(*NAVIGATING, '--without', 'curiosity_navigation'),
    *(f'--set=tools.{tool}.ready_when=[]' for tool in NAVIGATORS_TOOLS),
)
