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
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
import mcp_types as types

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest
from bt_executive.core.argument_validation import refuse_arguments
from bt_executive.mcp_server.async_executive_client import NoAnswerError, RunningGoal
from bt_executive.mcp_server.mcp_prompts import UnknownPromptError, prompt, prompts_of
from bt_executive.mcp_server.mcp_resources import (
    Reader,
    UnknownResourceError,
    resources,
    templates,
)
from bt_executive.mcp_server.mcp_tools import GOAL, OWN, ROBOT, STOP
from bt_executive.mcp_server.request_ids import SESSION, RequestIds, connection_of
from bt_executive.mcp_server.resource_updates import Subscriptions
from bt_executive.mcp_server.robot_choice import NoRobotError, Robot, Robots
from rover_common.incoming_text import incoming_text

GOAL_SCHEMA = Draft202012Validator(OWN[GOAL].input_schema)
PROGRESS_S = 1.0  # between two progress notifications of a call
INSTRUCTIONS = (
    'The tools of a robot. Every call runs under a behavior tree: it may be refused, with the '
    'exact reason, and it may wait for the approval of the operator, which no client can give. '
    'One client at a time holds the robot. A call that is cancelled stops what it started; '
    'stop_robot stops everything at once.'
)
SEVERAL = (
    " There are several robots: {names}. Each call says which one in the argument 'robot'; "
    'stop_robot without it stops all of them.'
)
Context = ServerRequestContext[Any]
# In the state of a connection:
HOLDS = 'holds the robot '  # and its name
FOLLOWS = 'follows resources'


class RobotServer:
    """The handlers of one server.

    Args:
        robots: Whose tools are offered.
        reader: Reads their resources.
        bus: Of the changes of these.
        version: Ours.
    """

    def __init__(
        self, robots: Robots, reader: Reader, bus: InMemorySubscriptionBus, version: str
    ) -> None:
        self._robots = robots
        self._reader = reader
        self._bus = bus
        self._listen = ListenHandler(bus)
        several = SEVERAL.format(names=robots.names) if len(robots.all) > 1 else ''
        self.mcp: Server[Any] = Server(
            'bt_executive',
            version=version,
            title='Robots under bt_executive' if several else 'A robot under bt_executive',
            instructions=INSTRUCTIONS + several,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.mcp.middleware.append(RequestIds())

    def close(self) -> None:
        """Ends the streams of subscriptions: the server ends."""
        self._listen.close()

    async def _list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self._robots.tools.values()))

    async def _list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources(self._robots))

    async def _list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=templates())

    async def _read_resource(
        self, _: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            return types.ReadResourceResult(contents=[await self._reader.read(str(asked.uri))])
        except (UnknownResourceError, NoAnswerError) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    async def _subscribe(
        self, context: Context, asked: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        try:
            self._reader.check_followed(str(asked.uri))
        except UnknownResourceError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        connection = connection_of(context)
        if FOLLOWS not in connection.state:
            connection.state[FOLLOWS] = Subscriptions(self._bus)
            connection.exit_stack.callback(connection.state[FOLLOWS].close)
        connection.state[FOLLOWS].add(str(asked.uri), context.session)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, asked: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        follows = connection_of(context).state.get(FOLLOWS)
        if follows is not None:
            follows.remove(str(asked.uri))
        return types.EmptyResult()

    async def _list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts_of(self._robots))

    async def _get_prompt(
        self, _: Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            return prompt(self._robots, asked.name, asked.arguments or {})
        except (UnknownPromptError, NoRobotError) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    async def _call_tool(
        self, context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in self._robots.tools:
            raise MCPError(types.INVALID_PARAMS, f'There is no tool {asked.name!r:.80}.')
        arguments = _as_seen(asked.arguments or {})
        if asked.name == STOP:
            return await self._stop(arguments)
        try:
            robot, arguments = self._robots.chosen(asked.name, arguments)
            schema = GOAL_SCHEMA  # of the other tools the tree says what does not fit
            if asked.name == GOAL and (fault := refuse_arguments(schema, arguments)):
                return _result(fault.sentence, {}, failed=True)
            return await self._run(context, robot, asked.name, arguments)
        except (NoRobotError, NoAnswerError) as error:
            return _result(str(error), {}, failed=True)

    async def _stop(self, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Stops one robot, or all at once: each is asked whatever becomes of the others."""
        robots, wrong = self._robots.to_stop(arguments)
        said = await asyncio.gather(*(robot.link.stop() for robot in robots))
        ok = not wrong and all(each.ok for each in said)
        if not self._robots.named:
            return _result(f'{wrong} {said[0].text}'.lstrip(), {'ok': ok}, failed=not ok)
        texts = [f'{robot.name}: {each.text}' for robot, each in zip(robots, said, strict=True)]
        structured = {
            'ok': ok,
            'robots': {
                robot.name: {'ok': each.ok, 'text': each.text}
                for robot, each in zip(robots, said, strict=True)
            },
        }
        refused = [f'{wrong} So all were asked to stop.'] if wrong else []
        return _result('\n'.join([*refused, *texts]), structured, failed=not ok)

    async def _run(
        self, context: Context, robot: Robot, name: str, arguments: Mapping[str, Any]
    ) -> types.CallToolResult:
        holds = name not in robot.skills or not robot.skills[name].reads_only
        client, is_sure = client_of(context)
        if holds and (other := self._acquire(context, robot, client, is_sure)):
            reason = (
                f'Another client holds the robot: {other}. Wait until it has left; '
                f'{STOP} works nevertheless.'
            )
            return _result(reason, {'held_by': other}, failed=True)
        try:
            goal = await robot.link.begin(self._request(name, arguments))
        except BaseException:
            if holds:
                robot.holder.done()
            raise
        if holds:
            goal.ended.add_done_callback(lambda _: robot.holder.done())
        reporter = asyncio.create_task(self._report(context, robot, goal))
        try:
            end = await asyncio.shield(goal.ended)
        finally:
            robot.link.cancel(goal)  # without effect on one that has ended
            reporter.cancel()
        return self._end_of(robot, goal, end)

    def _acquire(self, context: Context, robot: Robot, client: str, is_sure: bool) -> str:
        """Takes the robot for a call, until its session ends; empty, or who holds it instead."""
        other = robot.holder.acquire(client, is_sure=is_sure)
        connection, holds = connection_of(context), HOLDS + robot.name
        if not other and connection.session_id is not None and holds not in connection.state:
            connection.state[holds] = client
            connection.exit_stack.callback(robot.holder.leave, client)
        return other

    def _request(self, name: str, arguments: Mapping[str, Any]) -> GoalRequest | ToolRequest:
        if name == GOAL:
            return GoalRequest(arguments['goal'])
        return ToolRequest(name, json.dumps(arguments, ensure_ascii=False) if arguments else '')

    def _end_of(self, robot: Robot, goal: RunningGoal, end: GoalEnded) -> types.CallToolResult:
        story = robot.link.view.story.find(goal.task_id)
        structured = {
            **({ROBOT: robot.name} if self._robots.named else {}),
            'outcome': end.outcome,
            'answer': end.answer,
            'goal_id': goal.task_id,
            'result': dict(story.result) if story else {},
            'summary': dict(end.summary),
        }
        return _result(end.answer or end.outcome, structured, failed=not end.succeeded)

    async def _report(self, context: Context, robot: Robot, goal: RunningGoal) -> None:
        """Tells how far a goal is; cancels it if the client of this request has gone."""
        while True:
            await asyncio.sleep(PROGRESS_S)
            if context.request is not None and await context.request.is_disconnected():
                robot.link.cancel(goal)
                return
            with suppress(Exception):  # who does not listen is not told
                seconds = time.monotonic() - goal.began
                await context.session.report_progress(seconds, None, _doing(robot, goal))


def _doing(robot: Robot, goal: RunningGoal) -> str:
    view = robot.link.view
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
    session = request.headers.get(SESSION)
    return (f'{name}, session {session:.8}', True) if session else (name, False)


def _as_seen(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their texts as a reader sees them: a goal of blanks is none."""
    return {name: _value_as_seen(each) for name, each in arguments.items()}


def _value_as_seen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _as_seen(value)
    if isinstance(value, list):
        return [_value_as_seen(each) for each in value]
    return incoming_text(value) if isinstance(value, str) else value


def _result(text: str, structured: dict[str, Any], *, failed: bool) -> types.CallToolResult:
    content = types.TextContent(type='text', text=text)
    return types.CallToolResult(content=[content], structured_content=structured, is_error=failed)
