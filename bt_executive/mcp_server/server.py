"""The MCP server: what a client may list, read and call. A call is a goal under the tree."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
import json
import time
from typing import Any

from jsonschema import Draft202012Validator
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
import mcp_types as types

from bt_executive.client.events import GoalEnded
from bt_executive.client.offered import offered_to_agents
from bt_executive.client.requests import GoalRequest, ToolRequest
from bt_executive.mcp_server.holder import Holder
from bt_executive.mcp_server.link import NoAnswerError, RobotLink, RunningGoal
from bt_executive.mcp_server.prompts import prompt, prompts_of
from bt_executive.mcp_server.request_ids import RequestIds, connection_of
from bt_executive.mcp_server.resources import (
    Reader,
    UnknownResourceError,
    resources,
    templates,
)
from bt_executive.mcp_server.tools import GOAL, OWN, STOP, tools_of
from bt_executive.skills.argument_validation import refuse_arguments
from rover_common.config.settings import Config
from rover_common.incoming_text import incoming_text

GOAL_SCHEMA = Draft202012Validator(OWN[GOAL].input_schema)
PROGRESS_S = 1.0  # between two progress notifications of a call
INSTRUCTIONS = (
    'The tools of a robot. Every call runs under a behavior tree: it may be refused, with the '
    'exact reason, and it may wait for the approval of the operator, which no client can give. '
    'One client at a time holds the robot. A call that is cancelled stops what it started; '
    'stop_robot stops everything at once.'
)
Context = ServerRequestContext[Any]
HOLDS = 'holds the robot'  # in the state of a connection


class RobotServer:
    """The handlers of one server.

    Raises:
        UsageError: The registry has a tool of a name that the server uses itself.
    """

    def __init__(
        self, config: Config, link: RobotLink, holder: Holder, reader: Reader, version: str
    ) -> None:
        self._config = config
        self._link = link
        self._holder = holder
        self._reader = reader
        self._tools = tools_of(config)
        self._skills = offered_to_agents(config)
        self.mcp: Server[Any] = Server(
            'bt_executive',
            version=version,
            title='A robot under bt_executive',
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.mcp.middleware.append(RequestIds())

    async def _list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self._tools.values()))

    async def _list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources())

    async def _list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=templates())

    async def _read_resource(
        self, _: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            return types.ReadResourceResult(contents=[await self._reader.read(str(asked.uri))])
        except (UnknownResourceError, NoAnswerError) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    async def _list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts_of(self._config))

    async def _get_prompt(
        self, _: Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        found = prompt(self._config, asked.name)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, f'There is no prompt {asked.name!r:.80}.')
        return found

    async def _call_tool(
        self, context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in self._tools:
            raise MCPError(types.INVALID_PARAMS, f'There is no tool {asked.name!r:.80}.')
        try:
            if asked.name == STOP:
                answer = await self._link.ask('stop')
                return _result(answer.text, {'ok': answer.ok}, failed=not answer.ok)
            arguments = _as_seen(asked.arguments or {})
            schema = GOAL_SCHEMA  # of the other tools the tree says what does not fit
            if asked.name == GOAL and (fault := refuse_arguments(schema, arguments)):
                return _result(fault.sentence, {}, failed=True)
            return await self._run(context, asked.name, arguments)
        except NoAnswerError as error:
            return _result(str(error), {}, failed=True)

    async def _run(
        self, context: Context, name: str, arguments: Mapping[str, Any]
    ) -> types.CallToolResult:
        holds = name not in self._skills or not self._skills[name].reads_only
        client, is_sure = client_of(context)
        if holds and (other := self._acquire(context, client, is_sure)):
            reason = (
                f'Another client holds the robot: {other}. Wait until it has left; '
                f'{STOP} works nevertheless.'
            )
            return _result(reason, {'held_by': other}, failed=True)
        try:
            goal = await self._link.begin(self._request(name, arguments))
        except BaseException:
            if holds:
                self._holder.done()
            raise
        if holds:
            goal.ended.add_done_callback(lambda _: self._holder.done())
        reporter = asyncio.create_task(self._report(context, goal))
        try:
            end = await asyncio.shield(goal.ended)
        finally:
            self._link.cancel(goal)  # without effect on one that has ended
            reporter.cancel()
        return self._end_of(goal, end)

    def _acquire(self, context: Context, client: str, is_sure: bool) -> str:
        """Takes the robot for a call, until its session ends; empty, or who holds it instead."""
        other = self._holder.acquire(client, is_sure=is_sure)
        connection = connection_of(context)
        if not other and connection.session_id is not None and HOLDS not in connection.state:
            connection.state[HOLDS] = client
            connection.exit_stack.callback(self._holder.leave, client)
        return other

    def _request(self, name: str, arguments: Mapping[str, Any]) -> GoalRequest | ToolRequest:
        if name == GOAL:
            return GoalRequest(arguments['goal'])
        text = json.dumps(arguments, ensure_ascii=False) if arguments else ''
        return ToolRequest(name, text)

    def _end_of(self, goal: RunningGoal, end: GoalEnded) -> types.CallToolResult:
        story = self._link.view.story.find(goal.task_id)
        structured = {
            'outcome': end.outcome,
            'answer': end.answer,
            'goal_id': goal.task_id,
            'result': dict(story.result) if story else {},
            'summary': dict(end.summary),
        }
        return _result(end.answer or end.outcome, structured, failed=not end.succeeded)

    async def _report(self, context: Context, goal: RunningGoal) -> None:
        """Tells how far a goal is; cancels it if the client of this request has gone."""
        while True:
            await asyncio.sleep(PROGRESS_S)
            if context.request is not None and await context.request.is_disconnected():
                self._link.cancel(goal)
                return
            with suppress(Exception):  # who does not listen is not told
                seconds = time.monotonic() - goal.began
                await context.session.report_progress(seconds, None, self._words(goal))

    def _words(self, goal: RunningGoal) -> str:
        view = self._link.view
        waits = [str(each.get('tool')) for each in view.current.requests]
        if waits:
            return f'Waits for the operator to approve {", ".join(waits)}'
        pursued = view.story.current
        if pursued is None or goal.task_id != pursued.task_id:
            return 'Waits for its turn'
        return pursued.doing or 'The executive considers it'


def client_of(context: Context) -> tuple[str, bool]:
    """What a client calls itself, and whether no other one can have that name.

    Over HTTP that takes a session; over stdio there is one client only.
    """
    params = context.session.client_params
    info = params.client_info if params is not None else None
    name = f'{info.name} {info.version}'.strip() if info is not None else 'a client without a name'
    request = context.request
    if request is None:
        return name, True
    session = request.headers.get('mcp-session-id')
    return (f'{name}, session {session:.8}', True) if session else (name, False)


def _as_seen(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their texts as a reader sees them: a goal of blanks is none."""
    return {
        name: incoming_text(each) if isinstance(each, str) else each
        for name, each in arguments.items()
    }


def _result(text: str, structured: dict[str, Any], *, failed: bool) -> types.CallToolResult:
    content = types.TextContent(type='text', text=text)
    return types.CallToolResult(content=[content], structured_content=structured, is_error=failed)
