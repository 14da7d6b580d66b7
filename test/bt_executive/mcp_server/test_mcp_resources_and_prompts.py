"""Resources as clients read them, notifications of their changes, and prompts."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mcp import Client
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_stage import Stage
import mcp_types as types
import pytest

from bt_executive.client.front_end_events import (
    ExecutiveLost,
    ExecutiveReady,
    PathReceived,
    PendingApprovals,
    PictureReceived,
    RunStarted,
)
from bt_executive.mcp_server import mcp_resources_and_prompts as updates_module
from bt_executive.mcp_server.mcp_resources_and_prompts import changed_by
from bt_executive.mcp_server.tools_as_mcp_schemas import STOP
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent


@pytest.mark.parametrize(
    ('uri', 'text'),
    [
        ('robot://state', 'the answer to state_json'),
        ('robot://tree', 'the answer to show_tree'),
    ],
)
async def test_what_the_executive_tells_is_a_resource(stage: Stage, uri: str, text: str) -> None:
    async with stage.client() as client:
        (contents,) = (await client.read_resource(uri)).contents
        assert getattr(contents, 'text', None) == text


@pytest.mark.parametrize('name', ['state', 'tree'])
async def test_what_the_executive_cannot_tell_is_no_resource(stage: Stage, name: str) -> None:
    async with stage.client() as client:
        stage.robot.refusal = 'No server answers.'
        with pytest.raises(MCPError, match=r'No server answers\.'):
            await client.read_resource(f'robot://{name}')


async def test_trace_picture_runs_and_skills_are_resources(stage: Stage) -> None:
    run = stage.runs / '20260101-120000'
    run.mkdir(parents=True)
    (run / 'summary.json').write_text('{"goals": []}')

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


@pytest.mark.parametrize('name', ['20260101-120000', 'my run', '試験', '10%', 'a?b#c'])
async def test_the_name_of_a_run_is_read_as_it_is_and_escaped(stage: Stage, name: str) -> None:
    (stage.runs / name).mkdir(parents=True)
    (stage.runs / name / 'summary.json').write_text('{"goals": []}')
    async with stage.client() as client:
        for each in (name, quote(name, safe='')):
            (contents,) = (await client.read_resource(f'robot://runs/{each}')).contents
            assert isinstance(contents, types.TextResourceContents)
            assert contents.text == '{"goals": []}'


@pytest.mark.parametrize('uri', ['robot://runs/../../etc', 'robot://x', 'file:///etc/passwd'])
async def test_a_resource_that_is_not_there_is_refused(stage: Stage, uri: str) -> None:
    async with stage.client() as client:
        with pytest.raises(MCPError, match='There is no resource'):
            await client.read_resource(uri)


async def test_a_summary_that_cannot_be_read_is_one_sentence(stage: Stage) -> None:
    (stage.runs / 'broken').mkdir(parents=True)
    (stage.runs / 'broken' / 'summary.json').write_bytes(b'\xff\xfe{')
    (stage.runs / 'odd' / 'summary.json').mkdir(parents=True)

    async with stage.client() as client:
        with pytest.raises(MCPError, match="The summary of the run 'broken' cannot be read"):
            await client.read_resource('robot://runs/broken')
        with pytest.raises(MCPError, match='There is no resource'):
            await client.read_resource('robot://runs/odd')


CONFIG = load_config()
PICTURE = 'robot://a/picture'


@pytest.mark.parametrize(
    ('event', 'names'),
    [
        (TraceEvent('e1', 1.0, 'ACT', 'drives'), ('state', 'tree', 'trace')),
        (PendingApprovals((), 1.0), ('state', 'tree')),
        (PictureReceived(1.0, b'a picture'), ('picture',)),
        (ExecutiveReady(), ('state', 'tree', 'robots')),
        (ExecutiveLost('it ended'), ('state', 'tree', 'robots')),
        (PathReceived(()), ()),
    ],
)
def test_what_happens_changes_these_resources(event: Any, names: tuple[str, ...]) -> None:
    assert changed_by(event) == names


async def test_the_goal_of_a_run_that_is_lost_counts_once_it_is_reported_again(
    stage: Stage,
) -> None:
    async with stage.client() as client:

        async def goal_after(*events: Any) -> Any:
            for event in events:
                stage.robot.put(event)
            (contents,) = (await client.read_resource('robot://robots')).contents
            (robot,) = json.loads(getattr(contents, 'text', ''))
            return robot['goal'] if robot['executive'] == 'ready' else 'not ready'

        begins = TraceEvent('run-1', 1.0, 'OBSERVE', 'New goal: look', data={'task_id': 'a'})
        assert await goal_after(begins) == 'look'
        assert await goal_after(ExecutiveLost('it ended'), ExecutiveReady()) is None
        assert await goal_after(TraceEvent('run-2', 2.0, 'ACT', 'drives')) == 'look'


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(updates_module, 'BETWEEN_S', 0.0)
    return Stage(tmp_path, configs={'a': CONFIG, 'b': CONFIG})


def traced(stage: Stage, robot: str, number: int) -> None:
    stage.fleet[robot].put(TraceEvent(f'e{number}', 1.0, 'ACT', 'drives'))


async def test_a_stream_of_subscriptions_tells_of_the_named_robot_alone(fleet: Stage) -> None:
    async with (
        fleet.client() as client,
        client.listen(resource_subscriptions=['robot://b/trace', 'robot://a/picture']) as events,
    ):
        reported = aiter(events)
        traced(fleet, 'a', 1)
        traced(fleet, 'b', 1)
        assert await anext(reported) == ResourceUpdated('robot://b/trace')
        fleet.fleet['a'].put(PictureReceived(1.0, b'a picture'))
        assert await anext(reported) == ResourceUpdated(PICTURE)


@pytest.mark.filterwarnings('ignore::mcp.shared.exceptions.MCPDeprecationWarning')
async def test_subscribing_to_one_resource_as_before_tells_until_it_is_unsubscribed(
    fleet: Stage,
) -> None:
    reported: asyncio.Queue[str] = asyncio.Queue()

    async def note(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            await reported.put(str(message.params.uri))

    fleet.begin()
    async with Client(fleet.server.mcp, mode='legacy', message_handler=note) as client:
        capabilities = client.server_capabilities.resources
        assert capabilities is not None
        assert capabilities.subscribe
        await client.session.subscribe_resource('robot://a/trace')
        await client.session.subscribe_resource('robot://b/picture')
        traced(fleet, 'b', 1)
        traced(fleet, 'a', 1)
        assert await reported.get() == 'robot://a/trace'
        await client.session.unsubscribe_resource('robot://a/trace')
        traced(fleet, 'a', 2)
        fleet.fleet['b'].put(PictureReceived(1.0, b'a picture'))
        assert await reported.get() == 'robot://b/picture'
        for uri in ('robot://a/skills', 'robot://runs', 'robot://c/state', 'file:///etc'):
            with pytest.raises(MCPError, match='is not followed; these are: robot://a/pic'):
                await client.session.subscribe_resource(uri)
    assert reported.empty()


async def test_many_changes_in_a_moment_are_one_notification(fleet: Stage) -> None:
    async with (
        fleet.client() as client,
        client.listen(resource_subscriptions=['robot://a/trace', 'robot://b/trace']) as events,
    ):
        reported = aiter(events)
        for number in range(50):
            traced(fleet, 'a', number)
        assert await anext(reported) == ResourceUpdated('robot://a/trace')
        traced(fleet, 'b', 1)
        assert await anext(reported) == ResourceUpdated('robot://b/trace')
