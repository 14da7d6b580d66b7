"""Whoever visits a system that somebody else has started: consoles, and agents over MCP.

`bt-executive console` and `bt-executive mcp` come and go; one system for both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
import os
from pathlib import Path
import re
import signal
import sys
from typing import Any

from forked_program import FORKED
from late_heartbeats import TRIES, is_late
from lean import BLIND
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
import pytest
from waiting import wait_until
from warm import WarmPopen

from bt_executive.core.keepalive_leases import LEASE_S
from bt_executive.ros.goal_validation_ends_and_keepalives import SILENT

pytestmark = [pytest.mark.ros, pytest.mark.system]
LONG_NUDGE = ('--set', 'move.nudge_duration_sec=30.0')
SPACE = ('--ros-args', '-r', '__ns:=/rover_7')
MCP = ('mcp', *SPACE)
# Takes its time. A drive would be stopped, as it should be, where the machine pauses.
LONG = ':tool wait {"seconds": 60}\n'
AGAIN = 5
LOOK_S = 0.2  # each of these is a goal of its own
AT_REST = re.compile(r'(?<!not )at rest')
# A client of which nothing is left when it is killed but its server.
DYING = f"""
import asyncio, os, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
async def drive():
    command = StdioServerParameters(
        command=sys.argv[1], args={[*MCP]!r}, env=dict(os.environ)
    )
    async with Client(stdio_client(command, errlog=sys.stderr)) as agent:
        await agent.call_tool('move_nudge')
asyncio.run(drive())
"""


@pytest.fixture(scope='module')
def system(start_for_all: Callable[..., Any]) -> Iterator[Any]:
    made = start_for_all('up', *BLIND, *LONG_NUDGE, *SPACE)
    made.wait_for_rover()
    made.wait_for_output('The executive is ready')
    before = pids(made)
    yield made
    assert pids(made) == before, 'nobody has ended a process'
    made.write(':quit\n')
    assert made.finish() in (0, 1), made.output  # 1: a goal of its own was interrupted


def pids(system: Any) -> dict[str, int]:
    return {name: process.pid for name, process in system.processes().items()}


def environment(domain: int) -> dict[str, str]:
    return {**os.environ, **FORKED, 'ROS_DOMAIN_ID': str(domain)}


def server(program: str, domain: int) -> Any:
    command = StdioServerParameters(command=program, args=[*MCP], env=environment(domain))
    # By default it is what sys.stderr was at the import: a file of pytest that is closed by now.
    return stdio_client(command, errlog=sys.__stderr__ or sys.stderr)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def child_of(pid: int) -> int:
    """The only child of a process: the server of a client."""
    return int(Path(f'/proc/{pid}/task/{pid}/children').read_text(encoding='ascii'))


def is_at_rest(status: str) -> bool:
    known_of_it = status.partition('none or not known')[0]  # what is missing is named, too
    return AT_REST.search(known_of_it) is not None


def drives_ended(system: Any) -> list[dict[str, Any]]:
    """The ends of the goals that were a drive."""
    return [end for end in system.goal_ends() if end['goal'] == 'move_nudge']


def test_an_agent_drives_is_refused_is_stopped_and_dies_and_so_does_its_server(
    system: Any, program: str
) -> None:
    async def scene() -> None:
        async with Client(server(program, system.domain)) as agent:
            if system.events(kind='RESULT', tool_name='mast_close'):  # of another test
                await agent.call_tool('mast_open')
            refused = await agent.call_tool('move_nudge')
            assert refused.is_error
            assert text_of(refused) == 'Need to close mast'
            closed = await agent.call_tool('mast_close')
            assert not closed.is_error, text_of(closed)
            tree = (await agent.read_resource('robot://tree')).contents[0]
            assert 'Act by priority' in str(getattr(tree, 'text', ''))

            for _ in range(TRIES):
                before = counts()
                call = asyncio.create_task(agent.call_tool('move_nudge'))
                await asyncio.to_thread(begun, before)
                async with Client(server(program, system.domain)) as other:
                    told = await other.call_tool('wait', {'seconds': 0.1})
                call.cancel()
                end = await asyncio.to_thread(ended, before)
                if not is_late(end['answer']):
                    break
            assert end['outcome'] == 'interrupted', end
            assert told.is_error
            assert text_of(told).startswith('Another client holds the robot: ')
            # It rolls out; the limit of the scene ends a rover that never stands.
            while not is_at_rest(text_of(await agent.call_tool('get_status'))):
                await asyncio.sleep(LOOK_S)

    def counts() -> tuple[int, int]:
        """How many drives have begun and have ended."""
        return len(system.events(kind='ACT', tool_name='move_nudge')), len(drives_ended(system))

    def begun(before: tuple[int, int]) -> None:
        system.wait_for_event(kind='ACT', tool_name='move_nudge', count=before[0] + 1)

    def ended(before: tuple[int, int]) -> dict[str, Any]:
        wait_until(lambda: len(drives_ended(system)) > before[1], 'the drive has ended')
        return drives_ended(system)[-1]

    asyncio.run(asyncio.wait_for(scene(), 250.0))

    def drive_that_loses(lose: Callable[[int], None]) -> dict[str, Any]:
        """How the drive of a client ended of which something was killed."""
        for _ in range(TRIES):
            before = counts()
            agent = WarmPopen(
                [sys.executable, '-c', DYING, program], env=environment(system.domain)
            )
            begun(before)
            lose(agent.pid)
            end = ended(before)
            agent.kill()
            agent.wait(60.0)
            if not is_late(end['answer']):
                break
        return end

    # The client is killed: its end of the pipe is closed, and nobody says good-bye.
    end = drive_that_loses(lambda pid: os.kill(pid, signal.SIGKILL))
    assert end['outcome'] == 'interrupted', end

    # The server is killed, too, and cancels nothing: it is no longer heard of.
    end = drive_that_loses(lambda pid: os.kill(child_of(pid), signal.SIGKILL))
    assert (end['outcome'], end['answer']) == ('interrupted', SILENT.format(LEASE_S))


def close_mast(start: Any, domain: int) -> tuple[Any, int]:
    piped = start('console', *SPACE, domain=domain)
    piped.write(':mast_close\n')
    piped.process.stdin.close()
    return piped, piped.finish()


def test_a_console_attaches_gives_goals_and_leaves_the_system_as_it_was(
    system: Any, start: Any
) -> None:
    before = pids(system)
    piped, code = close_mast(start, system.domain)
    for _ in range(AGAIN):
        if (
            code and 'Move in progress' in piped.output
        ):  # the stop of the start is not measured yet
            piped, code = close_mast(start, system.domain)
    assert code == 0, piped.output
    assert f'Looking for /rover_7/executive in ROS domain {system.domain}' in piped.output
    assert 'mast_close: done' in piped.output
    assert not piped.run_dir.exists()

    ended, waits = len(system.goal_ends()), len(system.events(kind='ACT', tool_name='wait'))
    system.write(LONG)
    system.wait_for_event(kind='ACT', tool_name='wait', count=waits + 1)
    visitor = start('console', *SPACE, domain=system.domain)
    visitor.wait_for_output('The executive is ready')
    os.kill(visitor.process.pid, signal.SIGINT)
    assert visitor.finish() == 130
    assert 'The system goes on' in visitor.output
    assert len(system.goal_ends()) == ended, 'the goal of the other console goes on'

    guest = start('console', *SPACE, domain=system.domain)
    guest.wait_for_output('The executive is ready')
    guest.write(':stop\n')
    system.wait_for_output('interrupted')
    wait_until(
        lambda: len(system.goal_ends()) == ended + 1, 'the goal of the other console has ended'
    )
    guest.write(LONG)
    system.wait_for_event(kind='ACT', tool_name='wait', count=waits + 2)
    os.kill(guest.process.pid, signal.SIGINT)
    assert guest.finish() == 130
    assert 'Cancelling what was asked for here' in guest.output
    assert 'interrupted' in guest.output
    wait_until(lambda: len(system.goal_ends()) == ended + 2, 'the goal of the guest has ended')
    assert pids(system) == before
