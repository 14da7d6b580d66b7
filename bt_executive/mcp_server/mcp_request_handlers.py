"""The handlers of the MCP server. A tool call is a goal under the tree."""

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
from bt_executive.core.call_argument_validation import refuse_arguments
from bt_executive.mcp_server.async_executive_client import NoAnswerError, RunningGoal
from bt_executive.mcp_server.json_rpc_messages_and_ids import SESSION, RequestIds, connection_of
from bt_executive.mcp_server.mcp_resources_and_prompts import (
    ResourceReader,
    Subscriptions,
    prompt,
    prompts_of,
    resources,
    templates,
)
from bt_executive.mcp_server.robot_choice_and_lock import NoRobotError, Robot, Robots
from bt_executive.mcp_server.tools_as_mcp_schemas import GOAL, OWN, ROBOT, STOP
from rover_common.text_sanitizing import incoming_text

GOAL_SCHEMA = Draft202012Validator(OWN[GOAL].input_schema)
PROGRESS_S = 1.0  # between two progress notifications of a call
LEFT = 'The client of this call has left: nothing was begun for it.'
# Of a goal, as its progress:
WAITS = 'Waits for its turn'
SILENT = 'The executive does not answer now'
NO_NEWS = 'The executive answers again, and has not reported on it yet'
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
# Keys of the state of a connection:
LOCKED = 'locked robot '  # with its name
SUBSCRIPTIONS = 'subscriptions'


class RobotServer:
    """The handlers of one server."""

    def __init__(
        self, robots: Robots, reader: ResourceReader, bus: InMemorySubscriptionBus, version: str
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
        """Ends the streams of subscriptions."""
        self._listen.close()

    async def _list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self._robots.tools.values()))

    async def _list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources(self._robots))

    async def _list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=templates())

    async def _read_resource(
        self, _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            return types.ReadResourceResult(contents=[await self._reader.read(str(params.uri))])
        except NoAnswerError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    async def _subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        self._reader.check_subscribable(str(params.uri))
        connection = connection_of(context)
        if SUBSCRIPTIONS not in connection.state:
            connection.state[SUBSCRIPTIONS] = Subscriptions(self._bus)
            connection.exit_stack.callback(connection.state[SUBSCRIPTIONS].close)
        connection.state[SUBSCRIPTIONS].add(str(params.uri), context.session)
        return types.EmptyResult()

    async def _unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        subscriptions = connection_of(context).state.get(SUBSCRIPTIONS)
        if subscriptions is not None:
            subscriptions.remove(str(params.uri))
        return types.EmptyResult()

    async def _list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts_of(self._robots))

    async def _get_prompt(
        self, _: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            return prompt(self._robots, params.name, params.arguments or {})
        except NoRobotError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in self._robots.tools:
            raise MCPError(types.INVALID_PARAMS, f'There is no tool {params.name!r:.80}.')
        arguments = _visible(params.arguments or {})
        if params.name == STOP:
            return await self._stop(arguments)
        try:
            robot, arguments = self._robots.choose(params.name, arguments)
            # The arguments of the other tools are validated by the tree.
            if params.name == GOAL and (fault := refuse_arguments(GOAL_SCHEMA, arguments)):
                return _result(fault.sentence, {}, failed=True)
            return await self._run(context, robot, params.name, arguments)
        except (NoRobotError, NoAnswerError) as error:
            return _result(str(error), {}, failed=True)

    async def _stop(self, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Stops one robot, or all concurrently: each whatever the result of the others is."""
        robots, error = self._robots.robots_to_stop(arguments)
        replies = await asyncio.gather(*(robot.executive.stop() for robot in robots))
        ok = not error and all(reply.ok for reply in replies)
        if not self._robots.named:
            return _result(f'{error} {replies[0].text}'.lstrip(), {'ok': ok}, failed=not ok)
        by_name = {robot.name: reply for robot, reply in zip(robots, replies, strict=True)}
        lines = [f'{error} So all were asked to stop.'] if error else []
        lines += (f'{name}: {reply.text}' for name, reply in by_name.items())
        structured = {
            'ok': ok,
            'robots': {
                name: {'ok': reply.ok, 'text': reply.text} for name, reply in by_name.items()
            },
        }
        return _result('\n'.join(lines), structured, failed=not ok)

    async def _run(
        self, context: Context, robot: Robot, name: str, arguments: Mapping[str, Any]
    ) -> types.CallToolResult:
        needs_lock = name not in robot.skills or not robot.skills[name].reads_only
        client, is_unique = client_name(context)
        if needs_lock and (other := self._acquire(context, robot, client, is_unique)):
            reason = (
                f'Another client holds the robot: {other}. Wait until it has left; '
                f'{STOP} works nevertheless.'
            )
            return _result(reason, {'held_by': other}, failed=True)
        try:
            await robot.executive.wait_until_ready()
            if await _has_left(context):
                raise NoAnswerError(LEFT)
            goal = await robot.executive.start_goal(self._request(name, arguments))
        except BaseException:
            if needs_lock:
                robot.lock.end_call()
            raise
        if needs_lock:
            goal.ended.add_done_callback(lambda _: robot.lock.end_call())
        reporter = asyncio.create_task(self._report(context, robot, goal))
        try:
            end = await asyncio.shield(goal.ended)
        finally:
            robot.executive.cancel(goal)  # without effect on one that has ended
            reporter.cancel()
        return self._goal_result(robot, goal, end)

    def _acquire(self, context: Context, robot: Robot, client: str, is_unique: bool) -> str:
        """Acquires the robot for a call and its session; returns its other holder, or empty."""
        other = robot.lock.acquire(client, is_unique=is_unique)
        connection, key = connection_of(context), LOCKED + robot.name
        if not other and connection.session_id is not None and key not in connection.state:
            connection.state[key] = client
            connection.exit_stack.callback(robot.lock.end_session, client)
        return other

    def _request(self, name: str, arguments: Mapping[str, Any]) -> GoalRequest | ToolRequest:
        if name == GOAL:
            return GoalRequest(arguments['goal'])
        return ToolRequest(name, json.dumps(arguments, ensure_ascii=False) if arguments else '')

    def _goal_result(
        self, robot: Robot, goal: RunningGoal, end: GoalEnded
    ) -> types.CallToolResult:
        story = robot.executive.view.story.find(goal.task_id)
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
        """Reports the progress of a goal; cancels it if the client of its request has gone."""
        while True:
            await asyncio.sleep(PROGRESS_S)
            if await _has_left(context):
                robot.executive.cancel(goal)
                return
            with suppress(Exception):  # a client that does not receive progress
                elapsed_s = time.monotonic() - goal.started_at
                await context.session.report_progress(elapsed_s, None, _activity(robot, goal))


async def _has_left(context: Context) -> bool:
    """Return whether the client of a request has closed its connection."""
    return context.request is not None and await context.request.is_disconnected()


def _activity(robot: Robot, goal: RunningGoal) -> str:
    """Return what is under way of a goal; a request for approval is of the active goal alone."""
    view = robot.executive.view
    if view.current.presence != 'ready':
        return SILENT
    pursued = view.story.current
    if pursued is not None and goal.task_id != pursued.task_id:
        return WAITS
    tools = [str(request.get('tool')) for request in view.current.requests]
    if tools:
        return f'Waits for the operator to approve {", ".join(tools)}'
    if pursued is None:
        return WAITS
    return NO_NEWS if pursued.over else pursued.doing or 'The executive considers it'


def client_name(context: Context) -> tuple[str, bool]:
    """Return the name of a client, and whether it is unique among the clients.

    Over HTTP it is unique in a session only; over stdio there is one client.
    """
    params = context.session.client_params
    info = params.client_info if params is not None else None
    name = f'{info.name} {info.version}'.strip() if info is not None else 'a client without a name'
    request = context.request
    if request is None:
        return name, True
    session = request.headers.get(SESSION)
    return (f'{name}, session {session:.8}', True) if session else (name, False)


def _visible(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with the visible characters of their texts: a blank goal is empty."""
    return {name: _visible_value(value) for name, value in arguments.items()}


def _visible_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _visible(value)
    if isinstance(value, list):
        return [_visible_value(item) for item in value]
    return incoming_text(value) if isinstance(value, str) else value


def _result(text: str, structured: dict[str, Any], *, failed: bool) -> types.CallToolResult:
    content = types.TextContent(type='text', text=text)
    return types.CallToolResult(content=[content], structured_content=structured, is_error=failed)
