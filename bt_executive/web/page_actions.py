"""What a page may ask for. Every request has an id: one that comes twice is carried out once.

The id of a request that starts something is also the goal's id in the action, so that executive
and page agree on which goal it was, and a request of a previous run of this server, which cannot
know what was carried out, is refused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal
import uuid

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_executive.client.fault_switches import node_of
from bt_executive.client.front_end_ports import PagePort
from bt_executive.client.front_end_requests import (
    Break,
    GoalRequest,
    Help,
    MemoryRequest,
    Quit,
    ServiceRequest,
    ShowPage,
    Step,
    SwitchFault,
    ToolRequest,
)
from bt_executive.client.typed_answers import REQUEST_ID, ApprovalAnswer, json_object
from bt_executive.client.typed_arguments import read_position
from bt_executive.client.typed_commands import Vocabulary
from rover_common.errors import UsageError
from rover_common.incoming_text import incoming_text
from rover_common.json_text import read_arguments

MOST_REMEMBERED = 10_000
LONGEST = 100_000  # characters of a request
ON_PAGE = 'The page shows this already, in its panels.'
OTHER_RUN = (
    'The server of this page was restarted. Whether your request was carried out before is not '
    'known: check the goals, then ask again.'
)


class PageRequest(BaseModel):
    """One request of a page. `life`: of the server that the page is of."""

    model_config = ConfigDict(extra='forbid', strict=True)

    id: Annotated[str, Field(min_length=36, max_length=36)]
    life: Annotated[str, Field(max_length=100)]
    do: Literal['line', 'path', 'resolve', 'change', 'fault', 'manual']
    # line: what was written. path: x and y. resolve: arguments, or why not. change: arguments.
    # fault: its name
    text: str = ''
    request: str = ''  # resolve, change: the id of the request
    action: Literal['', 'approve', 'edit', 'reject'] = ''
    on: bool | None = None


@dataclass(frozen=True)
class PageResult:
    """What became of a request. `again`: it had been carried out before."""

    ok: bool
    text: str
    again: bool = False


class PageActions:
    """Used in the server's loop alone: between looking and entering nothing else runs.

    Args:
        life: Of this server.
        vocabulary: What a line means.
        port: The way to the executive.
        knows_goal: Whether a goal of that id is under way or was.
        change: What a request's call comes to with other arguments.
    """

    def __init__(
        self,
        life: str,
        vocabulary: Vocabulary,
        port: PagePort,
        knows_goal: Callable[[str], bool] = lambda _: False,
        change: Callable[[str, dict[str, Any]], str] = lambda *_: '',
    ) -> None:
        self.life = life
        self._vocabulary = vocabulary
        self._port = port
        self._knows_goal = knows_goal
        self._change = change
        self._done: OrderedDict[str, PageResult] = OrderedDict()
        self._tickets = 0

    def handle(self, body: bytes) -> PageResult:
        """Carries out a request, or says what became of it before."""
        try:
            wish = PageRequest.model_validate_json(body)
            uuid.UUID(wish.id)
        except (ValidationError, ValueError) as error:
            return PageResult(
                False, f'That is not a request: {" ".join(str(error).split())[:200]}'
            )
        if wish.life != self.life:
            return PageResult(False, OTHER_RUN)
        before = self._done.get(wish.id)
        if before is not None:
            return replace(before, again=True)
        try:
            done = PageResult(True, self._carry_out(wish))
        except UsageError as error:
            done = PageResult(False, str(error))
        self._done[wish.id] = done
        while len(self._done) > MOST_REMEMBERED:
            self._done.popitem(last=False)
        return done

    def _carry_out(self, wish: PageRequest) -> str:
        match wish.do:
            case 'line':
                return self._line(wish)
            case 'path':
                self._port.plan_path(wish.id, *read_position(incoming_text(wish.text)))
            case 'resolve':
                return self._resolve(wish)
            case 'change':
                arguments = json_object(':edit [ID]', incoming_text(wish.text))
                return self._change(wish.request, read_arguments(arguments))
            case 'fault':
                name = incoming_text(wish.text)
                self._port.set_fault(node_of(name), name, wish.on)
            case 'manual':
                self._port.set_manual(bool(wish.on))
        return ''

    def _line(self, wish: PageRequest) -> str:
        meaning = self._vocabulary.parse(wish.text)
        match meaning:
            case GoalRequest() | ToolRequest():
                self._start(replace(meaning, goal_id=wish.id))
            case MemoryRequest():
                self._port.call_memory(replace(meaning, key=wish.id))
            case ServiceRequest(service):
                self._port.call_service(service)
            case Step(on):
                self._port.set_stepping(on)
            case Break(name):
                self._port.toggle_breakpoint(name)
            case SwitchFault(name):
                self._port.set_fault(node_of(name), name, None)
            case ApprovalAnswer():
                raise UsageError('Answer with the buttons beside the request.')
            case ShowPage():
                return ON_PAGE
            case Help():
                return _help(self._vocabulary)
            case Quit():
                return 'Close the page: the system keeps running.'
            case None:
                raise UsageError('Write a goal, or :help.')
        return ''

    def _start(self, request: GoalRequest | ToolRequest) -> None:
        if self._knows_goal(request.goal_id):
            return
        self._tickets += 1
        self._port.start(self._tickets, request)

    def _resolve(self, wish: PageRequest) -> str:
        if not REQUEST_ID.fullmatch(wish.request) or not wish.action:
            raise UsageError('An answer needs the id of a request, and an action.')
        match wish.action:
            case 'edit':
                arguments = json_object(':edit [ID]', incoming_text(wish.text))
                self._port.resolve(ApprovalAnswer('edit', wish.request, arguments=arguments))
            case 'reject':
                self._port.resolve(
                    ApprovalAnswer('reject', wish.request, reason=incoming_text(wish.text))
                )
            case _:
                self._port.resolve(ApprovalAnswer('approve', wish.request))
        return ''


def _help(vocabulary: Vocabulary) -> str:
    """All commands by use, as lines."""
    return '\n\n'.join(
        '\n'.join((title, *(f'  {word}  {does}' for word, does in rows)))
        for title, rows in vocabulary.help()
    )


def as_json(done: PageResult) -> dict[str, Any]:
    """What a page is answered."""
    return {'ok': done.ok, 'text': done.text, 'again': done.again}
