"""What can be read: state, tree, trace, picture, runs and skills."""

from __future__ import annotations

import base64
from collections.abc import Iterator
import json
from pathlib import Path

from mcp_types import BlobResourceContents, Resource, ResourceTemplate, TextResourceContents

from bt_executive.client.offered import offered_to_agents
from bt_executive.mcp_server.link import NoAnswerError, RobotLink
from bt_executive.store.run_summary import FILE as SUMMARY_FILE
from rover_common.config.settings import Config
from rover_common.trace_event import event_to_json

SCHEME = 'robot://'
RUN = f'{SCHEME}runs/'
JSON, TEXT, LINES = 'application/json', 'text/plain', 'application/x-ndjson'
NO_PICTURE = 'No picture has been taken since this server started.'
RESOURCES = (
    ('state', 'State', JSON, 'What the executive knows: goal, robot, world, the last decision'),
    ('tree', 'Behavior tree', TEXT, 'The behavior tree as it is now'),
    ('trace', 'Trace', LINES, 'The latest events of the trace since this server started'),
    ('picture', 'Last picture', 'image/jpeg', 'The last picture that was taken and scored'),
    ('runs', 'Runs', JSON, 'The recorded runs, the latest first'),
    ('skills', 'Skills', JSON, 'The tools with their resources, preconditions and limits'),
)
Contents = TextResourceContents | BlobResourceContents


class UnknownResourceError(Exception):
    """There is no such resource, or nothing in it yet; the text says so."""


def resources() -> list[Resource]:
    """Those that are always there."""
    return [
        Resource(uri=SCHEME + name, name=name, title=title, mime_type=mime, description=what)
        for name, title, mime, what in RESOURCES
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

    def __init__(self, config: Config, link: RobotLink, runs: Path) -> None:
        self._config = config
        self._link = link
        self._runs = runs

    async def read(self, uri: str) -> Contents:
        """One resource.

        Raises:
            UnknownResourceError: There is none of that name.
            NoAnswerError: The executive does not answer, or has nothing to tell.
        """
        match uri.removeprefix(SCHEME):
            case 'state':
                return _text(uri, JSON, await self._answer('state_json'))
            case 'tree':
                return _text(uri, TEXT, await self._answer('show_tree'))
            case 'trace':
                lines = [event_to_json(event) for event in self._link.view.current.events]
                return _text(uri, LINES, '\n'.join(lines))
            case 'picture':
                return self._picture(uri)
            case 'runs':
                names = [path.name for path in self._folders()]
                return _text(uri, JSON, json.dumps(names))
            case 'skills':
                return _text(uri, JSON, self._skills())
        return self._run(uri)

    async def _answer(self, question: str) -> str:
        answer = await self._link.ask(question)
        if not answer.ok:
            raise NoAnswerError(answer.text)
        return answer.text

    def _picture(self, uri: str) -> Contents:
        picture = self._link.picture
        if picture is None:
            raise UnknownResourceError(NO_PICTURE)
        blob = base64.b64encode(picture.jpeg).decode()
        return BlobResourceContents(uri=uri, mime_type='image/jpeg', blob=blob)

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

    def _skills(self) -> str:
        skills = {
            name: skill.model_dump(mode='json')
            for name, skill in offered_to_agents(self._config).items()
        }
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
