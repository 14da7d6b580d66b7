"""`bt-executive mcp` beside a system that runs: the official client over stdio, and over HTTP."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
import pytest
from waiting import wait_until

from bt_executive.ros.goal_keepalives import SILENT

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


def drives_ended(system: Any) -> list[dict[str, Any]]:
    """The ends of the goals that were a drive; the first of them is the refused one."""
    ends = [(each.get('data') or {}).get('goal_ended') for each in system.events()]
    return [end for end in ends if end and end['goal'] == 'move_nudge']


def test_an_agent_drives_is_refused_is_stopped_and_dies_and_so_does_its_server(start: Any) -> None:
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
            await asyncio.to_thread(stopped, 2)
            while 'at rest yes' not in text_of(await agent.call_tool('get_status')):
                pass  # it rolls out; the limit of the scene ends a rover that never stands

    def drives(count: int) -> None:
        system.wait_for_event(kind='ACT', tool_name='move_nudge', count=count)

    def stopped(ends: int) -> None:
        wait_until(lambda: len(drives_ended(system)) == ends, 'the drive has ended')
        end = drives_ended(system)[-1]
        assert end['outcome'] == 'interrupted', end

    asyncio.run(asyncio.wait_for(scene(), 250.0))

    # The client is killed: its end of the pipe is closed, and nobody says good-bye.
    agent = subprocess.Popen([sys.executable, '-c', DYING], env=environment(system.domain))
    drives(2)
    agent.kill()
    stopped(3)
    agent.wait(60.0)

    # The server is killed, too, and cancels nothing: it is no longer heard of.
    agent = subprocess.Popen([sys.executable, '-c', DYING], env=environment(system.domain))
    drives(3)
    children = Path(f'/proc/{agent.pid}/task/{agent.pid}/children').read_text(encoding='ascii')
    os.kill(int(children), signal.SIGKILL)
    stopped(4)
    assert drives_ended(system)[-1]['answer'] == SILENT
    agent.kill()
    agent.wait(60.0)
    system.write(':quit\n')
    assert system.finish() == 0, system.output
