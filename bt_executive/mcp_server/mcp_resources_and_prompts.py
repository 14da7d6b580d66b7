"""The resources of the MCP server, notifications of their changes, and its prompts.

Both kinds of subscription are served from one bus: a stream of `subscriptions/listen` (since
2026-07-28), and `resources/subscribe` before it. A notification has no content but the URI, so
those that a slow client has not received yet are merged into one.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator, Mapping
from contextlib import suppress
import json
from pathlib import Path
import time
from urllib.parse import unquote

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    PendingApprovals,
    PictureReceived,
)
from bt_executive.mcp_server.async_executive_client import NoAnswerError
from bt_executive.mcp_server.robot_choice_and_lock import Robot, Robots
from bt_executive.mcp_server.tools_as_mcp_schemas import GOAL, ROBOT
from bt_executive.store.run_folder_formats import SUMMARY_FILE
from rover_common.trace_event import TraceEvent, event_to_json

SCHEME = 'robot://'
RUN = f'{SCHEME}runs/'
JSON, TEXT, LINES = 'application/json', 'text/plain', 'application/x-ndjson'
NO_PICTURE = 'No picture has been taken since this server started.'
OF_ROBOT = (
    ('state', 'State', JSON, 'What the executive knows: goal, robot, world, the last decision'),
    ('tree', 'Behavior tree', TEXT, 'The behavior tree as it is now'),
    ('trace', 'Trace', LINES, 'The latest events since this server started; run_s: s of the run'),
    ('picture', 'Last picture', 'image/jpeg', 'The last picture that was taken and scored'),
    ('skills', 'Skills', JSON, 'The tools with their resources, preconditions and limits'),
)
OF_ALL = (
    ('robots', 'Robots', JSON, 'The robots: whether the executive of each answers, and its goal'),
    ('runs', 'Runs', JSON, 'The recorded runs, the latest first'),
)
SUBSCRIBABLE = ('state', 'tree', 'trace', 'picture')
Contents = TextResourceContents | BlobResourceContents
BETWEEN_S = 1.0  # between two notifications of one resource
PRESENCE = (ExecutiveReady, ExecutiveQuiet, ExecutiveLost, ClientFailed)


def uri_of(robot: str, name: str, *, named: bool) -> str:
    """Return the URI of a resource of a robot."""
    return f'{SCHEME}{robot}/{name}' if named else SCHEME + name


def subscribable_uris(robot: str, *, named: bool) -> dict[str, str]:
    """Return the URIs of the resources that can be subscribed to, by their names."""
    uris = {name: uri_of(robot, name, named=named) for name in SUBSCRIBABLE}
    return {**uris, 'robots': f'{SCHEME}robots'}


def resources(robots: Robots) -> list[Resource]:
    """Return the resources that always exist."""
    of_robots = [
        Resource(
            uri=uri_of(robot.name, name, named=robots.named),
            name=f'{robot.name}/{name}' if robots.named else name,
            title=f'{title} of {robot.name}' if robots.named else title,
            mime_type=mime,
            description=what,
        )
        for robot in robots.all.values()
        for name, title, mime, what in OF_ROBOT
    ]
    return of_robots + [
        Resource(uri=SCHEME + name, name=name, title=title, mime_type=mime, description=what)
        for name, title, mime, what in OF_ALL
    ]


def templates() -> list[ResourceTemplate]:
    """Return the template of a run's URI."""
    return [
        ResourceTemplate(
            uri_template=f'{RUN}{{name}}',
            name='run',
            title='Summary of a run',
            mime_type=JSON,
            description='summary.json of a run folder',
        )
    ]


class ResourceReader:
    """Reads resources. `runs`: the folder of run folders."""

    def __init__(self, robots: Robots, runs: Path) -> None:
        self._robots = robots
        self._runs = runs
        self._by_uri: dict[str, tuple[Robot, str]] = {
            uri_of(robot.name, name, named=robots.named): (robot, name)
            for robot in robots.all.values()
            for name, *_ in OF_ROBOT
        }
        self._subscribable = {
            uri
            for robot in robots.all
            for uri in subscribable_uris(robot, named=robots.named).values()
        }

    async def read(self, uri: str) -> Contents:
        """Return the content of a resource.

        Raises:
            MCPError: There is none of that URI, or it has no content yet.
            NoAnswerError: The executive does not answer, or its reply is a failure.
        """
        if uri in self._by_uri:
            return await self._read(uri, *self._by_uri[uri])
        if uri == f'{SCHEME}robots':
            rows = [_presence(robot) for robot in self._robots.all.values()]
            return _text(uri, JSON, json.dumps(rows, ensure_ascii=False, indent=1))
        if uri == f'{SCHEME}runs':
            return _text(uri, JSON, json.dumps([path.name for path in self._folders()]))
        return self._run(uri)

    def check_subscribable(self, uri: str) -> None:
        """Check that a resource can be subscribed to.

        Raises:
            MCPError: It cannot.
        """
        if uri not in self._subscribable:
            choices = ', '.join(sorted(self._subscribable))
            raise MCPError(INVALID_PARAMS, f'{uri!r:.200} is not followed; these are: {choices}.')

    async def _read(self, uri: str, robot: Robot, name: str) -> Contents:
        match name:
            case 'state':
                return _text(uri, JSON, await self._call_service(robot, 'state_json'))
            case 'tree':
                return _text(uri, TEXT, await self._call_service(robot, 'show_tree'))
            case 'trace':
                lines = [_event(event, robot) for event in robot.executive.view.current.events]
                return _text(uri, LINES, '\n'.join(lines))
            case 'picture':
                return _picture(uri, robot)
        return _text(uri, JSON, _skills(robot))

    async def _call_service(self, robot: Robot, service: str) -> str:
        reply = await robot.executive.call_service(service)
        if not reply.ok:
            raise NoAnswerError(reply.text)
        return reply.text

    def _run(self, uri: str) -> Contents:
        forms = (uri, unquote(uri))  # clients that fill in the template may escape the name
        for folder in self._folders():  # an untrusted name is compared, never used as a path
            if RUN + folder.name in forms:
                return _text(uri, JSON, _summary(folder / SUMMARY_FILE))
        raise MCPError(INVALID_PARAMS, f'There is no resource {uri!r:.200}.')

    def _folders(self) -> Iterator[Path]:
        files = (path for path in self._runs.glob(f'*/{SUMMARY_FILE}') if path.is_file())
        yield from sorted(
            (path.parent for path in files), key=lambda path: path.name, reverse=True
        )


def _presence(robot: Robot) -> dict[str, object]:
    """Return whether a robot's executive answers, and its goal; unknown if it does not.

    The goal of a run that is lost counts once the executive reports on it again.
    """
    current, pursued = robot.executive.view.current, robot.executive.view.story.current
    is_ready = current.presence == 'ready'
    known = pursued if is_ready and pursued is not None and not pursued.over else None
    return {
        'name': robot.name,
        'executive': current.presence,
        'why': current.lost_reason,
        'for_s': round(time.monotonic() - current.since),
        'goal': known.text if known is not None else None,
    }


def _event(event: TraceEvent, robot: Robot) -> str:
    """Return an event with its time in the run, as console and page show it."""
    clock, fields = robot.executive.time, json.loads(event_to_json(event))
    if clock.is_known:
        fields['run_s'] = round(clock.seconds(event.ts), 3)
    return json.dumps(fields, ensure_ascii=False)


def _picture(uri: str, robot: Robot) -> Contents:
    picture = robot.executive.picture
    if picture is None:
        raise MCPError(INVALID_PARAMS, NO_PICTURE)
    blob = base64.b64encode(picture.jpeg).decode()
    return BlobResourceContents(uri=uri, mime_type='image/jpeg', blob=blob)


def _skills(robot: Robot) -> str:
    skills = {name: skill.model_dump(mode='json') for name, skill in robot.skills.items()}
    return json.dumps(skills, ensure_ascii=False, indent=1)


def _summary(file: Path) -> str:
    try:
        return file.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        reason = f'The summary of the run {file.parent.name!r} cannot be read ({error}).'
        raise MCPError(INVALID_PARAMS, reason) from None


def _text(uri: str, mime: str, text: str) -> Contents:
    return TextResourceContents(uri=uri, mime_type=mime, text=text)


def changed_by(event: ClientEvent) -> tuple[str, ...]:
    """Return the names of the resources that an event changes.

    Telemetry changes none: a pose or a battery would change with each tick.
    """
    match event:
        case TraceEvent():
            return 'state', 'tree', 'trace'
        case PendingApprovals():
            return 'state', 'tree'
        case PictureReceived():
            return ('picture',)
    return ('state', 'tree', 'robots') if isinstance(event, PRESENCE) else ()


class UpdatePublisher:
    """Publishes the resources of one robot that have changed, each at most once a `BETWEEN_S`.

    Args:
        uris: The URIs of the resources that can be subscribed to, by their names.
    """

    def __init__(self, bus: InMemorySubscriptionBus, uris: dict[str, str]) -> None:
        self._bus = bus
        self._uris = uris
        self._changed: dict[str, None] = {}  # URIs, in order
        self._wake = asyncio.Event()

    def apply(self, event: ClientEvent) -> None:
        """Marks the resources that an event changes."""
        changed = [self._uris[name] for name in changed_by(event) if name in self._uris]
        self._changed |= dict.fromkeys(changed)
        if changed:
            self._wake.set()

    async def run(self) -> None:
        """Publishes until it is cancelled: the first change at once, later ones together."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            changed, self._changed = self._changed, {}
            for uri in changed:
                await self._bus.publish(ResourceUpdated(uri))
            await asyncio.sleep(BETWEEN_S)


class Subscriptions:
    """The `resources/subscribe` of one connection."""

    def __init__(self, bus: InMemorySubscriptionBus) -> None:
        self._bus = bus
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def add(self, uri: str, session: ServerSession) -> None:
        """Subscribes to a resource."""
        if uri in self._tasks:
            return
        changed = asyncio.Event()

        def deliver(event: ServerEvent) -> None:
            if event == ResourceUpdated(uri):
                changed.set()

        unsubscribe = self._bus.subscribe(deliver)
        self._tasks[uri] = asyncio.ensure_future(_notify(uri, session, changed))
        self._tasks[uri].add_done_callback(lambda _: unsubscribe())

    def remove(self, uri: str) -> None:
        """Unsubscribes from a resource."""
        if uri in self._tasks:
            self._tasks.pop(uri).cancel()

    def close(self) -> None:
        """Unsubscribes from every resource."""
        for uri in [*self._tasks]:
            self.remove(uri)


async def _notify(uri: str, session: ServerSession, changed: asyncio.Event) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
        while True:
            await changed.wait()
            changed.clear()
            await session.send_resource_updated(uri)


def prompts_of(robots: Robots) -> list[Prompt]:
    """Return a prompt for each name of a template in prompts.yaml."""
    several = len(robots.all) > 1
    argument = PromptArgument(name=ROBOT, description=f'One of: {robots.names}', required=several)
    arguments = [argument] if robots.named else None
    templates_by_name = {
        name: template
        for robot in reversed(robots.all.values())
        for name, template in robot.config.prompts.templates.items()
    }
    return [
        Prompt(name=name, title=each.label, description=each.text, arguments=arguments)
        for name, each in templates_by_name.items()
    ]


def prompt(robots: Robots, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return the prompt for a goal.

    Raises:
        MCPError: There is no such template.
        NoRobotError: None of several robots is named, or there is none of that name.
    """
    robot = robots.choose(GOAL, arguments)[0]
    template = robot.config.prompts.templates.get(name)
    if template is None:
        raise MCPError(INVALID_PARAMS, f'There is no prompt {name!r:.80}.')
    hint = f', with {ROBOT!r} set to {robot.name!r}' if robots.named else ''
    text = (
        f'{template.text}\n\nUse the tools of the robot{hint}, or hand the whole goal to its own '
        f'planner with the tool {GOAL!r}.'
    )
    message = PromptMessage(role='user', content=TextContent(type='text', text=text))
    return GetPromptResult(description=template.label, messages=[message])
