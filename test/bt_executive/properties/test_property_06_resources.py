"""Spec 3 property 6: a tool whose resources are in use is refused, and only then.

A tool that needs the robot at rest is refused, too, while a part that moves is held: no status can
show yet that it stands.
"""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
import pytest
from tree_bench import MakeBench

from bt_executive.core.executive_ports import Answer, Proposal
from bt_executive.core.guards import STANDING_STILL

TOOLS = ['move_nudge', 'mast_close', 'mast_rotate', 'turn_right', 'get_status', 'move_stop']


@pytest.mark.long
@settings(deadline=None)
@example(tool='move_nudge', held={'mast'})
@given(tool=st.sampled_from(TOOLS), held=st.sets(st.sampled_from(['base', 'mast', 'camera'])))
def test_a_tool_is_refused_if_and_only_if_a_resource_is_held(
    bench: MakeBench, tool: str, held: set[str]
) -> None:
    it = bench(Proposal('1', tool, {}), Answer('so be it'), overrides=['guards.server_wait_s=0.5'])
    endpoints = [each.endpoint for each in it.context.registry.values() if each.endpoint]
    it.robot.replies = {each.name: {'success': True, 'message': '{}'} for each in endpoints}
    it.context.calls.leases.acquire('another call', held)
    it.context.calls.open('another call', 'a server', it.moment, timeout_s=1000.0)
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal()
    it.until(lambda: it.reporter.endings)
    (result,) = it.planner.results
    skill = it.context.registry[tool].skill
    taken = held & set(skill.resources_required)
    waits = STANDING_STILL in skill.guards and held & set(it.context.config.robot.moving_resources)
    assert result.ok == (not taken and not waits)
    assert bool(it.robot.sent) == result.ok
    if taken:
        assert result.error_reason == f'In use: {", ".join(sorted(taken))}'
        assert result.data['refused_by'] == 'resources'
