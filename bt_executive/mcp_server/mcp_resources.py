"""What can be read: state, tree, trace, picture and skills of a robot; robots, and runs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
import json
from pathlib import Path
import time

from mcp_types import BlobResourceContents, Resource, ResourceTemplate, TextResourceContents

from bt_executive.mcp_server.async_executive_client import NoAnswerError
from bt_executive.mcp_server.robot_choice import Robot, Robots
from bt_executive.store.goal_summary_files import FILE as SUMMARY_FILE
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
FOLLOWED = ('state', 'tree', 'trace', 'picture')
Contents = TextResourceContents | BlobResourceContents


class UnknownResourceError(Exception):
    """There is no such resource, or nothing in it yet; the text says so."""


def uri_of(robot: str, name: str, *, named: bool) -> str:
    """The address of a resource of a robot."""
    return f'{SCHEME}{robot}/{name}' if named else SCHEME + name


def followed(robot: str, *, named: bool) -> dict[str, str]:
    """The addresses of those of whose changes clients are told, by their names."""
    uris = {name: uri_of(robot, name, named=named) for name in FOLLOWED}
    return {**uris, 'robots': f'{SCHEME}robots'}


def resources(robots: Robots) -> list[Resource]:
    """Those that are always there."""
    found = [
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
    return found + [
        Resource(uri=SCHEME + name, name=name, title=title, mime_type=mime, description=what)
        for name, title, mime, what in OF_ALL
    ]


def templates() -> list[ResourceTemplate]:
    """One run by its name."""
    return [
        ResourceTemplate(
            uri_template=f'{RUN}{{name}}',
            name='run',
            title='Summary of a run',
            mime_type=JSON,
            description='summary.json of a run folder',
        )
    ]


class Reader:
    """Reads resources. `runs`: the folder of run folders."""

    def __init__(self, robots: Robots, runs: Path) -> None:
        self._robots = robots
        self._runs = runs
        self._of: dict[str, tuple[Robot, str]] = {
            uri_of(robot.name, name, named=robots.named): (robot, name)
            for robot in robots.all.values()
            for name, *_ in OF_ROBOT
        }
        self._followed = {
            uri for robot in robots.all for uri in followed(robot, named=robots.named).values()
        }

    async def read(self, uri: str) -> Contents:
        """One resource.

        Raises:
            UnknownResourceError: There is none of that name.
            NoAnswerError: The executive does not answer, or has nothing to tell.
        """
        if uri in self._of:
            return await self._read(uri, *self._of[uri])
        if uri == f'{SCHEME}robots':
            rows = [_presence(each) for each in self._robots.all.values()]
            return _text(uri, JSON, json.dumps(rows, ensure_ascii=False, indent=1))
        if uri == f'{SCHEME}runs':
            return _text(uri, JSON, json.dumps([path.name for path in self._folders()]))
        return self._run(uri)

    def check_followed(self, uri: str) -> None:
        """Passes if clients are told of the changes of a resource.

        Raises:
            UnknownResourceError: They are not.
        """
        if uri not in self._followed:
            known = ', '.join(sorted(self._followed))
            raise UnknownResourceError(f'{uri!r:.200} is not followed; these are: {known}.')

    async def _read(self, uri: str, robot: Robot, name: str) -> Contents:
        match name:
            case 'state':
                return _text(uri, JSON, await self._call_service(robot, 'state_json'))
            case 'tree':
                return _text(uri, TEXT, await self._call_service(robot, 'show_tree'))
            case 'trace':
                lines = [_event(each, robot) for each in robot.link.view.current.events]
                return _text(uri, LINES, '\n'.join(lines))
            case 'picture':
                return _picture(uri, robot)
        return _text(uri, JSON, _skills(robot))

    async def _call_service(self, robot: Robot, service: str) -> str:
        answer = await robot.link.call_service(service)
        if not answer.ok:
            raise NoAnswerError(answer.text)
        return answer.text

    def _run(self, uri: str) -> Contents:
        for folder in self._folders():  # a name from outside is compared, and is no path
            if uri == RUN + folder.name:
                return _text(uri, JSON, _summary(folder / SUMMARY_FILE))
        raise UnknownResourceError(f'There is no resource {uri!r:.200}.')

    def _folders(self) -> Iterator[Path]:
        found = (path for path in self._runs.glob(f'*/{SUMMARY_FILE}') if path.is_file())
        yield from sorted(
            (path.parent for path in found), key=lambda path: path.name, reverse=True
        )


def _presence(robot: Robot) -> dict[str, object]:
    """Whether a robot's executive answers now; of one that does not, no goal is known."""
    current, pursued = robot.link.view.current, robot.link.view.story.current
    is_there = current.presence == 'ready'
    return {
        'name': robot.name,
        'executive': current.presence,
        'why': current.lost_reason,
        'for_s': round(time.monotonic() - current.since),
        'goal': pursued.text if is_there and pursued is not None else None,
    }


def _event(event: TraceEvent, robot: Robot) -> str:
    """An event, and at which second of the run it was, as console and page show it."""
    clock, fields = robot.link.time, json.loads(event_to_json(event))
    if clock.is_known:
        fields['run_s'] = round(clock.seconds(event.ts), 3)
    return json.dumps(fields, ensure_ascii=False)


def _picture(uri: str, robot: Robot) -> Contents:
    picture = robot.link.picture
    if picture is None:
        raise UnknownResourceError(NO_PICTURE)
    blob = base64.b64encode(picture.jpeg).decode()
    return BlobResourceContents(uri=uri, mime_type='image/jpeg', blob=blob)


def _skills(robot: Robot) -> str:
    skills = {name: skill.model_dump(mode='json') for name, skill in robot.skills.items()}
    return json.dumps(skills, ensure_ascii=False, indent=1)


def _summary(file: Path) -> str:
    try:
        return file.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise UnknownResourceError(
            f'The summary of the run {file.parent.name!r} cannot be read ({error}).'
        ) from None


def _text(uri: str, mime: str, text: str) -> Contents:
    return TextResourceContents(uri=uri, mime_type=mime, text=text)
