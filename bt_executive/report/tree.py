"""The tree at each moment, as data for the page: structure, and what ticks changed."""

from __future__ import annotations

from collections.abc import Sequence

from bt_executive.recording.formats import TreeTick
from bt_executive.report.brain_state import shown_states, state_fields
from bt_executive.report.model import Recording, TreeLife
from bt_executive.stage.data import Moment, StageTree
from bt_executive.stage.tree_letters import changed, letters_for_people
from rover_common.trace_event import TraceEvent

MOST_MOMENTS = 4000  # beyond it neighbouring ticks are merged


def view_trees(recording: Recording) -> list[StageTree]:
    """One for each tree; lives that have the same tree share one."""
    groups: list[list[TreeLife]] = []
    for life in recording.trees:
        if groups and groups[-1][0].nodes == life.nodes:
            groups[-1].append(life)
        else:
            groups.append([life])
    return [
        _view(group, recording.events) for group in groups if any(each.ticks for each in group)
    ]


def _view(lives: Sequence[TreeLife], events: Sequence[TraceEvent]) -> StageTree:
    ticks = [tick for life in lives for tick in _from_the_start(life)]
    merged = _merged(ticks)
    nodes = lives[0].nodes
    fields = state_fields(merged)
    told = _for_people([node.parent for node in nodes], merged)
    moments: list[Moment] = [
        (each.ts, each.mode, dict(letters), each.words, number, new)
        for each, letters, number, new in zip(
            merged,
            told,
            _latest_events(merged, events),
            shown_states(merged, fields),
            strict=True,
        )
    ]
    return StageTree(
        nodes=[(node.name, node.kind, node.parent) for node in nodes],
        moments=moments,
        fields=fields,
        merged=len(merged) < len(ticks),
    )


def _for_people(parents: Sequence[int | None], ticks: Sequence[TreeTick]) -> list[dict[int, str]]:
    """What each tick changed of the letters that people see."""
    letters, words = ['I'] * len(parents), [''] * len(parents)
    shown = list(letters)
    changes = []
    for tick in ticks:
        for index, letter in tick.status.items():
            letters[index] = letter
        for index, text in tick.words.items():
            words[index] = text
        told = letters_for_people(parents, letters, words)
        changes.append(dict(changed(shown, told)))
        shown = told
    return changes


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
