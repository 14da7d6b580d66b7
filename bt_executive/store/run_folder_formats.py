"""The files of a run folder, and the versions of their formats.

Each process of the executive begins every file with a header line, so that a folder may hold
several. A minor version adds fields; readers refuse another major version.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from rover_common.trace_event import TraceEvent

# Stored names, independent of the names of modules.
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
GOALS_FILE = 'goals.jsonl'
SUMMARY_FILE = 'summary.json'

StatusLetter = Literal['I', 'R', 'S', 'F']  # INVALID, RUNNING, SUCCESS, FAILURE


class RecordLine(BaseModel):
    """Base of all lines. Unknown fields, which a later minor version may add, are ignored."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, allow_inf_nan=False)


class Header(RecordLine):
    """The first line of each process. `started_at`: UTC, ISO 8601, by the wall clock."""

    format: str = Field(alias='schema')
    version: Annotated[str, Field(pattern=r'^\d{1,9}\.\d{1,9}$')]
    run_id: str
    started_at: str


class InboxHeader(Header):
    """The header of inbox.jsonl. Version 1.0 had neither field, and no calls of ports.

    `approvals`: the token in the ids of this process's requests. `configuration`: a digest (of
    `run_configuration_and_metadata`), because a later process may have written another one.
    """

    approvals: str = ''
    configuration: str = ''


class RecordedNode(RecordLine):
    """A behaviour. Its id is its index in `nodes`: the root first, parents before children."""

    name: str
    kind: Literal['sequence', 'selector', 'parallel', 'decorator', 'leaf']
    parent: int | None = None
    memory: bool = False


class TreeHeader(Header):
    """The header of tree.jsonl, with the whole tree. Initially each node is INVALID."""

    nodes: tuple[RecordedNode, ...]

    @field_validator('nodes')
    @classmethod
    def _parents_first(cls, nodes: tuple[RecordedNode, ...]) -> tuple[RecordedNode, ...]:
        for index, node in enumerate(nodes):
            if (node.parent is None) != (index == 0) or (node.parent or 0) > max(index - 1, 0):
                raise ValueError(f'node {index} ({node.name}) has no parent before it')
        return nodes


class TreeTick(RecordLine):
    """The changes of one tick.

    Attributes:
        ts: ROS time of the tick in s.
        mode: Of the executive.
        status: Node id → new status.
        words: Node id → new feedback message.
        event_id: The latest trace event, if there was one since the previous line.
        tick: Number of ticks in inbox.jsonl so far.
        state: New values of the state (`bt_executive.core.state`) by part and field, such as
            `robot.pose`.
    """

    ts: float
    mode: str
    status: dict[int, StatusLetter] = {}
    words: dict[int, str] = {}
    event_id: str = ''
    tick: int = 0
    state: dict[str, Any] = {}


class InboxEntry(RecordLine):
    """An input of a tick, or a call of a port, in order.

    Attributes:
        ts: ROS time of the tick in s; `robot`, `steady`: its other clocks
            (`rover_common.clocks.Now`).
        event: A name of `core.stored_names`, or a value of `tick_recorder.RecordKind`.
        fields: JSON values.
        nth: Number of the call of this kind within the tick.
        again: Whether a tick begins here at the time of the previous one.
    """

    ts: float
    robot: float
    steady: float
    event: str
    fields: dict[str, Any]
    nth: int = 1
    again: bool = False


class PictureEntry(RecordLine):
    """A picture that was scored or described.

    Attributes:
        stamp: Of the picture, ROS time in s.
        ts: Of the score or description, ROS time in s.
        score: Of a described picture: its measured brightness.
        file: Below the run folder; null if the folder's limit for pictures was reached.
        words: The description; empty if the picture was scored.
    """

    stamp: float
    ts: float
    event_id: str
    score: float
    is_good: bool | None = None
    file: str | None = None
    words: str = ''


def trace_schema() -> dict[str, Any]:
    """Return the JSON Schema of the lines of trace.jsonl, for docs/trace.schema.json.

    A line is the header of a process, or an event.
    """
    schema = TypeAdapter(Header | TraceEvent).json_schema(by_alias=True)
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': f'{TRACE} {VERSIONS[TRACE]}',
        **schema,
    }
