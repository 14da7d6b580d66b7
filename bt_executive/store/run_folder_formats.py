"""The files of a run folder and the versions of their lines.

Each process of the executive begins every file with a header line, so that a folder may hold
several. A minor version adds fields; a major version changes what is there, and readers refuse it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from rover_common.trace_event import TraceEvent

# Names in files, not of modules: they stay whatever is moved.
TRACE = 'bt_executive.trace'
TREE = 'bt_executive.tree'
INBOX = 'bt_executive.inbox'
PICTURES = 'bt_executive.pictures'
GOALS = 'bt_executive.goals'
VERSIONS = {TRACE: '1.0', TREE: '1.1', INBOX: '1.2', PICTURES: '1.0', GOALS: '1.0'}

TRACE_FILE = 'trace.jsonl'
TREE_FILE = 'tree.jsonl'
PICTURES_FILE = 'pictures.jsonl'
PICTURES_FOLDER = 'pictures'

StatusLetter = Literal['I', 'R', 'S', 'F']  # INVALID, RUNNING, SUCCESS, FAILURE


class RecordLine(BaseModel):
    """Base of all lines: unknown fields, which a later minor version may add, are ignored."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, allow_inf_nan=False)


class Header(RecordLine):
    """The first line of each process. `started_at`: UTC, ISO 8601, by the wall clock."""

    format: str = Field(alias='schema')
    version: Annotated[str, Field(pattern=r'^\d+\.\d+$')]
    run_id: str
    started_at: str


class InboxHeader(Header):
    """The header of inbox.jsonl. Version 1.0 had neither field, and no calls of ports.

    `approvals`: what is in the ids of this process's requests. `configuration`: a digest
    (`configuration.digest_of`), because a later process may have written another one.
    """

    approvals: str = ''
    configuration: str = ''


class RecordedNode(RecordLine):
    """A behaviour. Its id is its place in `nodes`, parents before children, the root first."""

    name: str
    kind: Literal['sequence', 'selector', 'parallel', 'decorator', 'leaf']
    parent: int | None = None
    memory: bool = False


class TreeHeader(Header):
    """The header of tree.jsonl, with the whole tree. Every node begins as I, without words."""

    nodes: tuple[RecordedNode, ...]

    @field_validator('nodes')
    @classmethod
    def _parents_first(cls, nodes: tuple[RecordedNode, ...]) -> tuple[RecordedNode, ...]:
        for index, node in enumerate(nodes):
            if (node.parent is None) != (index == 0) or (node.parent or 0) > max(index - 1, 0):
                raise ValueError(f'node {index} ({node.name}) has no parent before it')
        return nodes


class TreeTick(RecordLine):
    """What a tick changed. `ts`: ROS seconds of the tick; `mode`: of the executive.

    `status`: node id → its new status. `words`: node id → its new feedback message.
    `event_id`: the latest event of the trace by then, if there was one since the line before.
    `tick`: how many ticks inbox.jsonl had by then. `state`: what is new in the state
    (`bt_executive.core.state`), by part and field, such as `robot.pose`.
    """

    ts: float
    mode: str
    status: dict[int, StatusLetter] = {}
    words: dict[int, str] = {}
    event_id: str = ''
    tick: int = 0
    state: dict[str, Any] = {}


class InboxEntry(RecordLine):
    """Something that a tick was told, or asked of a port, in order.

    `ts`, `robot`, `steady`: the tick's time on each clock (`rover_common.clocks.Now`), s.
    `event`: the name of a class of `bt_executive.core.inputs`, or one of `tick_recorder.Note`;
    `fields`: its fields as JSON values. `nth`: at which call of this kind in the tick it was told.
    `again`: the first line of a tick at the time of the one before.
    """

    ts: float
    robot: float
    steady: float
    event: str
    fields: dict[str, Any]
    nth: int = 1
    again: bool = False


class PictureEntry(RecordLine):
    """A picture that was scored, or looked at. `stamp`: of the picture, `ts`: of the score.

    Both in ROS seconds. `words`: what the look said; its `score` is the measured brightness.
    `file`: below the run folder; null when the folder's room for pictures was used up.
    """

    stamp: float
    ts: float
    event_id: str
    score: float
    is_good: bool | None = None
    file: str | None = None
    words: str = ''


def trace_schema() -> dict[str, Any]:
    """The lines of trace.jsonl as a JSON Schema, from which docs/trace.schema.json is written.

    A line is the header of a process, or an event.
    """
    schema = TypeAdapter(Header | TraceEvent).json_schema(by_alias=True)
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': f'{TRACE} {VERSIONS[TRACE]}',
        **schema,
    }
