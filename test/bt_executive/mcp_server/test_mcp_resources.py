"""What a client of the official SDK can read; the robot is played by the test."""

from __future__ import annotations

import base64
import json
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_stage import Stage, play
import pytest

from bt_executive.client.front_end_events import PictureReceived, RunStarted
from bt_executive.mcp_server.mcp_tools import STOP
from rover_common.trace_event import TraceEvent


@pytest.mark.parametrize(
    ('uri', 'text'),
    [
        ('robot://state', 'the answer to state_json'),
        ('robot://tree', 'the answer to show_tree'),
    ],
)
def test_what_the_executive_tells_is_a_resource(stage: Stage, uri: str, text: str) -> None:
    async def scene() -> None:
        async with stage.client() as client:
            (contents,) = (await client.read_resource(uri)).contents
            assert getattr(contents, 'text', None) == text

    play(scene)


@pytest.mark.parametrize('name', ['state', 'tree'])
def test_what_the_executive_cannot_tell_is_no_resource(stage: Stage, name: str) -> None:
    async def scene() -> None:
        async with stage.client() as client:
            stage.robot.refusal = 'No server answers.'
            with pytest.raises(MCPError, match=r'No server answers\.'):
                await client.read_resource(f'robot://{name}')

    play(scene)


def test_trace_picture_runs_and_skills_are_resources(stage: Stage) -> None:
    run = stage.runs / '20260101-120000'
    run.mkdir(parents=True)
    (run / 'summary.json').write_text('{"goals": []}')

    async def scene() -> None:
        async with stage.client() as client:

            async def read(name: str) -> Any:
                (contents,) = (await client.read_resource(f'robot://{name}')).contents
                return contents

            listed = {str(each.uri) for each in (await client.list_resources()).resources}
            names = ('state', 'tree', 'trace', 'picture', 'runs', 'robots', 'skills')
            assert listed == {f'robot://{name}' for name in names}
            with pytest.raises(MCPError, match='No picture has been taken'):
                await read('picture')
            stage.robot.put(PictureReceived(1.0, b'a picture'))
            stage.robot.put(TraceEvent('e1', 1.0, 'ACT', 'drives'))
            await client.call_tool(STOP)  # what was put is there
            assert base64.b64decode((await read('picture')).blob) == b'a picture'
            event = json.loads((await read('trace')).text)
            assert (event['message'], event['ts'], 'run_s' in event) == ('drives', 1.0, False)
            stage.robot.put(RunStarted(0.25))
            await client.call_tool(STOP)
            assert json.loads((await read('trace')).text)['run_s'] == 0.75
            assert json.loads((await read('runs')).text) == ['20260101-120000']
            assert json.loads((await read('runs/20260101-120000')).text) == {'goals': []}
            assert json.loads((await read('skills')).text)['move_nudge']['idempotent'] is False

    play(scene)


@pytest.mark.parametrize('uri', ['robot://runs/../../etc', 'robot://x', 'file:///etc/passwd'])
def test_a_resource_that_is_not_there_is_refused(stage: Stage, uri: str) -> None:
    async def scene() -> None:
        async with stage.client() as client:
            with pytest.raises(MCPError, match='There is no resource'):
                await client.read_resource(uri)

    play(scene)


def test_a_summary_that_cannot_be_read_is_one_sentence(stage: Stage) -> None:
    (stage.runs / 'broken').mkdir(parents=True)
    (stage.runs / 'broken' / 'summary.json').write_bytes(b'\xff\xfe{')
    (stage.runs / 'odd' / 'summary.json').mkdir(parents=True)

    async def scene() -> None:
        async with stage.client() as client:
            with pytest.raises(MCPError, match="The summary of the run 'broken' cannot be read"):
                await client.read_resource('robot://runs/broken')
            with pytest.raises(MCPError, match='There is no resource'):
                await client.read_resource('robot://runs/odd')

    play(scene)
