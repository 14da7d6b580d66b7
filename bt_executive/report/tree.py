"""The tree at each moment, as data for the page's script: structure, and what ticks changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bt_executive.recording.formats import RecordedNode, TreeTick
from bt_executive.report.brain_state import shown_states, state_fields
from bt_executive.report.model import Recording, TreeLife
from rover_common.trace_event import TraceEvent

MOST_MOMENTS = 4000  # beyond it neighbouring ticks are merged
MOST_SAYINGS = 4000
LONGEST_SAYING = 160
GLYPHS = {'sequence': '→', 'selector': '?', 'parallel': '⇉', 'decorator': '◇', 'leaf': ''}


@dataclass(frozen=True)
class TreeRow:
    """A node of the drawn tree, as it was at the last moment."""

    depth: int
    name: str
    kind: str
    glyph: str
    status: str
    words: str


@dataclass
class TreeView:
    """One tree through time. `data`: for the script.

    `data`: `moments` are [ROS s, mode, {id: status}, {id: words}, number of the latest event,
    {number of the field: text}], `says` are [number of the event, text].
    `state`: fields of the state with their values at the last moment; empty in older recordings.
    """

    rows: list[TreeRow]
    data: dict[str, Any]
    merged: bool = False
    last_mode: str = ''
    state: list[tuple[str, str]] = field(default_factory=list)
    lives: list[TreeLife] = field(default_factory=list)


def view_trees(recording: Recording) -> list[TreeView]:
    """A view for each tree; lives that have the same tree share one."""
    groups: list[list[TreeLife]] = []
    for life in recording.trees:
        if groups and groups[-1][0].nodes == life.nodes:
            groups[-1].append(life)
        else:
            groups.append([life])
    return [
        _view(group, recording.events) for group in groups if any(each.ticks for each in group)
    ]


def _view(lives: Sequence[TreeLife], events: Sequence[TraceEvent]) -> TreeView:
    ticks = [tick for life in lives for tick in _from_the_start(life)]
    moments = _merged(ticks)
    nodes = lives[0].nodes
    status, words = _at_the_end(nodes, moments)
    told = _latest_events(moments, events)
    fields = state_fields(moments)
    changes = shown_states(moments, fields)
    state = {number: text for each in changes for number, text in each.items()}
    said = list(enumerate(events))[max(told[0], 0) : told[-1] + 1]
    said = said[:: len(said) // MOST_SAYINGS + 1]
    return TreeView(
        rows=_rows(nodes, status, words),
        data={
            'moments': [
                [each.ts, each.mode, each.status, each.words, number, new]
                for each, number, new in zip(moments, told, changes, strict=True)
            ],
            'says': [
                [number, f'{event.kind}: {event.message[:LONGEST_SAYING]}']
                for number, event in said
            ],
        },
        merged=len(moments) < len(ticks),
        last_mode=moments[-1].mode,
        state=[(path, state[number]) for number, path in enumerate(fields)],
    )


def _latest_events(moments: Sequence[TreeTick], events: Sequence[TraceEvent]) -> list[int]:
    """For each moment the number of the latest event by then; -1 before the first."""
    numbers = {event.event_id: number for number, event in enumerate(events)}
    latest, found = -1, []
    for moment in moments:
        latest = numbers.get(moment.event_id, latest)
        found.append(latest)
    return found


def _from_the_start(life: TreeLife) -> list[TreeTick]:
    """A life's ticks; its first one also takes back what an earlier life left."""
    if not life.ticks:
        return []
    first, *others = life.ticks
    fresh = dict.fromkeys(range(len(life.nodes)), 'I')
    blank = dict.fromkeys(range(len(life.nodes)), '')
    start = first.model_copy(
        update={'status': {**fresh, **first.status}, 'words': {**blank, **first.words}}
    )
    return [start, *others]


def _merged(ticks: Sequence[TreeTick]) -> list[TreeTick]:
    together = len(ticks) // MOST_MOMENTS + 1
    merged = []
    for begin in range(0, len(ticks), together):
        group = ticks[begin : begin + together]
        status = {key: value for tick in group for key, value in tick.status.items()}
        words = {key: value for tick in group for key, value in tick.words.items()}
        state = {key: value for tick in group for key, value in tick.state.items()}
        told = next((tick.event_id for tick in reversed(group) if tick.event_id), '')
        update = {'status': status, 'words': words, 'event_id': told, 'state': state}
        merged.append(group[-1].model_copy(update=update))
    return merged


def _at_the_end(
    nodes: Sequence[RecordedNode], ticks: Sequence[TreeTick]
) -> tuple[list[str], list[str]]:
    status, words = ['I'] * len(nodes), [''] * len(nodes)
    for tick in ticks:
        for index, letter in tick.status.items():
            status[index] = letter
        for index, text in tick.words.items():
            words[index] = text
    return status, words


def _rows(
    nodes: Sequence[RecordedNode], status: Sequence[str], words: Sequence[str]
) -> list[TreeRow]:
    depths: list[int] = []
    rows = []
    for node, letter, text in zip(nodes, status, words, strict=True):
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        rows.append(TreeRow(depths[-1], node.name, node.kind, GLYPHS[node.kind], letter, text))
    return rows
