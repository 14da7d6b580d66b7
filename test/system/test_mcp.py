"""`bt-executive mcp` beside a system that runs: the official client over stdio, and over HTTP."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
LONG_NUDGE = ('--set', 'move.nudge_duration_sec=30.0')
COMMAND = ('-m', 'bt_executive.cli', 'mcp')
# A client of which nothing is left when it is killed but its server.
DYING = f"""
import asyncio, os, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters
async def drive():
    command = StdioServerParameters(
        command=sys.executable, args={[*COMMAND]!r}, env=dict(os.environ)
    )
    async with Client(command) as agent:
        await agent.call_tool('move_nudge')
asyncio.run(drive())
"""


def environment(domain: int) -> dict[str, str]:
    return {**os.environ, 'ROS_DOMAIN_ID': str(domain)}


def server(domain: int) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[*COMMAND], env=environment(domain))


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def ended_goals(system: Any) -> list[dict[str, Any]]:
    return [each for each in system.events() if 'goal_ended' in (each.get('data') or {})]


def test_an_agent_drives_is_refused_is_stopped_and_dies(start: Any) -> None:
    system = start('up', *LONG_NUDGE, '--without', 'visualizer')
    system.wait_for_rover()
    system.wait_for_output('The executive is ready')

    async def scene() -> None:
        async with Client(server(system.domain)) as agent:
            refused = await agent.call_tool('move_nudge')
            assert refused.is_error
            assert text_of(refused) == 'Need to close mast'
            closed = await agent.call_tool('mast_close')
            assert not closed.is_error, text_of(closed)
            tree = (await agent.read_resource('robot://tree')).contents[0]
            assert 'Act by priority' in str(getattr(tree, 'text', ''))

            call = asyncio.create_task(agent.call_tool('move_nudge'))
            await asyncio.to_thread(drives, 1)
            async with Client(server(system.domain)) as other:
                told = await other.call_tool('move_nudge')
                assert told.is_error
                assert text_of(told).startswith('Another client holds the robot: ')
            call.cancel()
            await asyncio.to_thread(stopped, 3)
            status = text_of(await agent.call_tool('get_status'))
            assert 'moving no' in status
            assert 'at rest yes' in status

    def drives(count: int) -> None:
        system.wait_for_event(kind='ACT', tool_name='move_nudge', count=count)

    def stopped(ends: int) -> None:
        wait_until(lambda: len(ended_goals(system)) == ends, 'the drive has ended')
        end = ended_goals(system)[-1]['data']['goal_ended']
        assert end['outcome'] == 'interrupted', end

    asyncio.run(asyncio.wait_for(scene(), 250.0))

    # The client is killed: its end of the pipe is closed, and nobody says good-bye.
    agent = subprocess.Popen([sys.executable, '-c', DYING], env=environment(system.domain))
    drives(2)
    agent.kill()
    stopped(5)
    agent.wait(60.0)
    system.write(':quit\n')
    assert system.finish() == 0, system.output
