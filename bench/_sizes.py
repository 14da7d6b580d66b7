"""How large each measurement is by default, so that all of them together end in an hour.

`SECONDS` is how long each takes then on two idle cores; docs/numbers.md has what each took last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

WITHIN_MIN = 60.0  # all of them, unless something else is asked for
# Of its trials; those that are not named make all of them.
SHARES: Mapping[str, float] = {
    'hostile_model': 0.3,
    'kills': 0.04,
    'navigation': 0.15,
    'network_cuts': 0.04,
    'resume_kills': 0.02,
    'same_at_any_speed': 0.6,
    'soak': 0.5,
    'stop_latency': 0.4,
    'suspensions': 0.03,
    'vision_soak': 0.5,
}
SECONDS: Mapping[str, float] = {
    **{'guard_bench': 720, 'hostile_model': 90, 'idle_cost': 70, 'image_cost': 5},
    **{'journal_cost': 15, 'kills': 110, 'live_page': 175, 'mcp_cost': 125},
    **{'memory_fleet': 90, 'memory_quality': 120, 'memory_speed': 105},
    **{'navigation': 120, 'network_cuts': 45},
    **{'planner_calls': 5, 'planning_time': 5, 'ratios': 10, 'report_page': 11},
    **{'resume_kills': 150, 'rover_speed': 12, 'same_at_any_speed': 150, 'snapshot_cost': 20},
    **{'soak': 38, 'stop_latency': 60, 'suspensions': 80, 'system_cost': 130, 'tick_cost': 28},
    **{'two_rovers': 37, 'viewer_follows': 90, 'vision_gateway': 6, 'vision_soak': 110},
    **{'visualizer_cost': 22, 'wordings': 110},
}


def in_order(names: Iterable[str]) -> list[str]:
    """Return the short ones first: if time runs out, few are missing."""
    return sorted(names, key=lambda name: (SECONDS.get(name, 60.0), name))
