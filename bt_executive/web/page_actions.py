"""Requests of a page: read, checked, and sent to the executive.

Every request has an id: a repeated one is carried out once. The id of a request that starts a goal
is also the goal's id in the action, so that executive and page refer to the same goal. A request
to a previous server is refused: this one does not know whether it was carried out. So is one that
arrives after a stop that its page requested later, unless it holds the robot back, too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal
import uuid

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_executive.client.front_end_ports import PagePort
from bt_executive.client.front_end_requests import (
    STOPS,
    ApprovalAnswer,
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
from bt_executive.client.typed_arguments import REQUEST_ID, json_object, node_of, read_position
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.web.stops_of_pages import StopsOfPages
from rover_common.errors import UsageError
from rover_common.json_values import read_arguments
from rover_common.text_sanitizing import incoming_text

MAX_REMEMBERED = 10_000
MAX_REQUEST_CHARS = 100_000  # characters of a request
ON_PAGE = 'The page shows this already, in its panels.'
OTHER_RUN = (
    'The server of this page was restarted. Whether your request was carried out before is not '
    'known: check the goals, then ask again.'
)
STOPPED_SINCE = 'You stopped the robot after it, so it was not carried out.'


class PageRequest(BaseModel):
    """One request of a page.

    Attributes:
        server_id: Of the server that sent the page; `life` in JSON.
        text: Of line: what was typed. Of path: x and y. Of resolve: arguments, or the message.
            Of change: arguments. Of fault: its name.
        request: Of resolve and change: the id of the approval request.
        page: Of the page that requests it; empty: not known.
        number: Of this request among those of its page, stops included; 0: not known.
    """

    model_config = ConfigDict(extra='forbid', strict=True)

    id: Annotated[str, Field(min_length=36, max_length=36)]
    server_id: Annotated[str, Field(max_length=100, alias='life')]
    do: Literal['line', 'path', 'resolve', 'change', 'fault', 'manual']
    text: str = ''
    request: str = ''
    action: Literal['', 'approve', 'edit', 'reject'] = ''
    on: bool | None = None
    page: Annotated[str, Field(max_length=36)] = ''
    number: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True)
class PageResult:
    """The result of a request. `again`: whether it had been carried out before."""

    ok: bool
    text: str
    again: bool = False


class PageActions:
    """Carries out requests. Used only in the server's event loop, so that `handle` is atomic.

    Args:
        knows_goal: Returns whether a goal of that id is or was active.
        change: Describes the effect of a request's call with other arguments.
        stops: Of the pages. Those that are typed are noted here, others by what receives them.
    """

    def __init__(
        self,
        server_id: str,
        vocabulary: Vocabulary,
        port: PagePort,
        knows_goal: Callable[[str], bool] = lambda _: False,
        change: Callable[[str, dict[str, Any]], str] = lambda *_: '',
        stops: StopsOfPages | None = None,
    ) -> None:
        self.server_id = server_id
        self._vocabulary = vocabulary
        self._port = port
        self._knows_goal = knows_goal
        self._change = change
        self._stops = stops or StopsOfPages()
        self._results: OrderedDict[str, PageResult] = OrderedDict()
        self._tickets = 0

    def handle(self, body: bytes) -> PageResult:
        """Carries out a request, or returns the result of a repeated one."""
        try:
            request = PageRequest.model_validate_json(body)
            uuid.UUID(request.id)
        except (ValidationError, ValueError) as error:
            return PageResult(
                False, f'That is not a request: {" ".join(str(error).split())[:200]}'
            )
        if request.server_id != self.server_id:
            return PageResult(False, OTHER_RUN)
        before = self._results.get(request.id)
        if before is not None:
            return replace(before, again=True)
        try:
            result = self._result(request)
        except UsageError as error:
            result = PageResult(False, str(error))
        self._results[request.id] = result
        while len(self._results) > MAX_REMEMBERED:
            self._results.popitem(last=False)
        return result

    def _result(self, request: PageRequest) -> PageResult:
        may_move = not self._holds_back(request)
        if may_move and self._stops.has_stopped_since(request.page, request.number):
            return PageResult(False, STOPPED_SINCE)
        return PageResult(True, self._carry_out(request))

    def _holds_back(self, request: PageRequest) -> bool:
        """Return whether the robot moves no more with a request than without it."""
        match request.do:
            case 'line':
                meaning = self._vocabulary.parse(request.text)
                return isinstance(meaning, ServiceRequest) and meaning.service in STOPS
            case 'resolve':
                return request.action == 'reject'
            case 'manual':
                return request.on is not True
        return request.do in ('change', 'path')

    def _carry_out(self, request: PageRequest) -> str:
        match request.do:
            case 'line':
                return self._line(request)
            case 'path':
                self._port.plan_path(request.id, *read_position(incoming_text(request.text)))
            case 'resolve':
                return self._resolve(request)
            case 'change':
                arguments = json_object(':edit [ID]', incoming_text(request.text))
                return self._change(request.request, read_arguments(arguments))
            case 'fault':
                name = incoming_text(request.text)
                self._port.set_fault(node_of(name), name, request.on)
            case 'manual':
                self._port.set_manual(bool(request.on))
        return ''

    def _line(self, request: PageRequest) -> str:
        meaning = self._vocabulary.parse(request.text)
        match meaning:
            case GoalRequest() | ToolRequest():
                self._start(replace(meaning, goal_id=request.id))
            case MemoryRequest():
                self._port.call_memory(replace(meaning, key=request.id))
            case ServiceRequest(service):
                self._call_service(service, request)
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

    def _call_service(self, service: str, request: PageRequest) -> None:
        if service in STOPS and service != 'pause':  # a pause keeps the goals
            self._stops.note(f'{request.page} {request.number}')
        self._port.call_service(service)

    def _start(self, request: GoalRequest | ToolRequest) -> None:
        if self._knows_goal(request.goal_id):
            return
        self._tickets += 1
        self._port.start(self._tickets, request)

    def _resolve(self, request: PageRequest) -> str:
        if not REQUEST_ID.fullmatch(request.request) or not request.action:
            raise UsageError('An answer needs the id of a request, and an action.')
        match request.action:
            case 'edit':
                arguments = json_object(':edit [ID]', incoming_text(request.text))
                self._port.resolve(ApprovalAnswer('edit', request.request, arguments=arguments))
            case 'reject':
                self._port.resolve(
                    ApprovalAnswer('reject', request.request, reason=incoming_text(request.text))
                )
            case _:
                self._port.resolve(ApprovalAnswer('approve', request.request))
        return ''


def _help(vocabulary: Vocabulary) -> str:
    """Return all commands by purpose, as lines."""
    return '\n\n'.join(
        '\n'.join((title, *(f'  {command}  {does}' for command, does in rows)))
        for title, rows in vocabulary.help()
    )
