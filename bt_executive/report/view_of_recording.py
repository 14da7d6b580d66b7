"""Folds a recording into the view of its run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bt_executive.core.state import BrainState, HCIState, Mode, TasksState, TraceState
from bt_executive.core.surroundings_state import WorldState
from bt_executive.report.read_and_join_run_folders import (
    Charge,
    RecordedPose,
    Recording,
    TreeOfProcess,
)
from bt_executive.store.run_folder_formats import TreeTick
from bt_executive.view.run_view import RunView
from bt_executive.view.shown_state_fields import LEFT_OUT, shown_value

MAX_MOMENTS = 4000  # of the tree; beyond it, neighbouring ticks are merged
MODES = frozenset(mode.value for mode in Mode)
PARTS: Mapping[str, TypeAdapter[Any]] = {
    'hci': TypeAdapter(HCIState),
    'tasks': TypeAdapter(TasksState),
    'trace': TypeAdapter(TraceState),
    'world': TypeAdapter(WorldState),
}


def view_of(recording: Recording) -> RunView:
    """Return the view of a recording."""
    view = RunView(recording.config)
    for pose in sorted(recording.poses, key=lambda each: each.ts):
        view.series.pose(pose.ts, _arrived(pose), pose.x, pose.y, pose.yaw)
    for charge in sorted(recording.charges, key=lambda each: each.ts):
        view.series.battery(charge.ts, _arrived(charge), charge.percent)
    trace = _Trace(recording, view)
    group_size = ticks_in_a_moment(recording)
    for process in recording.trees:
        tree = _Tree(process)
        for tick in _merge(process.ticks, group_size):
            trace.apply_until(tick.event_id)
            tree.apply(tick, view)
    trace.apply_rest()
    return view


def ticks_in_a_moment(recording: Recording) -> int:
    """Return the number of neighbouring ticks that are merged into one."""
    return sum(len(process.ticks) for process in recording.trees) // MAX_MOMENTS + 1


class _Trace:
    """The trace of all processes, applied up to the current tick."""

    def __init__(self, recording: Recording, view: RunView) -> None:
        self._view = view
        self._events = recording.events
        self._numbers = {event.event_id: number for number, event in enumerate(self._events)}
        lengths = [len(process) for process in recording.processes]
        self._begins = {sum(lengths[:number]) for number in range(1, len(lengths))}
        self._next = 0

    def apply_until(self, event_id: str) -> None:
        """Applies the events up to this one."""
        self._apply(self._numbers.get(event_id, -1) + 1)

    def apply_rest(self) -> None:
        """Applies the remaining events."""
        self._apply(len(self._events))

    def _apply(self, end: int) -> None:
        for number in range(self._next, end):
            event = self._events[number]
            if number in self._begins:
                self._view.begin_run(self._events[number - 1].ts)
            self._view.apply(event, event.ts)
        self._next = max(self._next, end)


class _Tree:
    """The tree and the state of one process, updated by its ticks."""

    def __init__(self, process: TreeOfProcess) -> None:
        self._shape = tuple((node.name, node.kind, node.parent) for node in process.nodes)
        self._letters: list[str] = ['I'] * len(process.nodes)
        self._messages = [''] * len(process.nodes)
        self._values: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        self._parts: dict[str, Any] = {}

    def apply(self, tick: TreeTick, view: RunView) -> None:
        """Applies the changes of a tick."""
        for index, letter in tick.status.items():
            self._letters[index] = letter
        for index, text in tick.words.items():
            self._messages[index] = text
        fields = tick.state.items()
        shown = {path: shown_value(value) for path, value in fields if path not in LEFT_OUT}
        view.state(self._state(tick), tick.ts, shown)
        view.tree(tick.ts, self._shape, self._letters, self._messages)

    def _state(self, tick: TreeTick) -> BrainState:
        """Return the state without the robot, whose readings are recorded separately."""
        changed = set()
        for path, value in tick.state.items():
            part, _, name = path.partition('.')
            if part in PARTS:
                self._values[part][name] = value
                changed.add(part)
        for part in changed:
            try:
                self._parts[part] = PARTS[part].validate_python(self._values[part])
            except ValidationError:  # of another version, or damaged: keep the previous one
                continue
        state = BrainState(**self._parts)
        if state.tasks.mode.value == tick.mode or tick.mode not in MODES:
            return state
        return replace(state, tasks=replace(state.tasks, mode=Mode(tick.mode)))


def _merge(ticks: Sequence[TreeTick], group_size: int) -> Iterator[TreeTick]:
    if group_size == 1:
        yield from ticks
        return
    for begin in range(0, len(ticks), group_size):
        group = ticks[begin : begin + group_size]
        status = {key: value for tick in group for key, value in tick.status.items()}
        messages = {key: value for tick in group for key, value in tick.words.items()}
        state = {key: value for tick in group for key, value in tick.state.items()}
        event_id = next((tick.event_id for tick in reversed(group) if tick.event_id), '')
        update = {'status': status, 'words': messages, 'event_id': event_id, 'state': state}
        yield group[-1].model_copy(update=update)


def _arrived(reading: RecordedPose | Charge) -> float:
    """Return the steady time of arrival in s; ROS time if it was not recorded."""
    return reading.ts if reading.at is None else reading.at
