"""Writes the run folder (docs/recordings.md). No caller waits for a disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bt_executive.core.state import BrainState
from bt_executive.store import run_folder_formats
from bt_executive.store.goal_summaries import SummaryFile
from bt_executive.store.json_lines_file import JsonLinesFile
from bt_executive.store.recorded_pictures import PictureFolder, PictureMatcher
from bt_executive.store.run_configuration_and_metadata import (
    RunMetadata,
    save_configuration,
    save_run_metadata,
)
from bt_executive.store.run_folder_formats import (
    GOALS_FILE,
    PICTURES_FILE,
    TRACE_FILE,
    TREE_FILE,
    VERSIONS,
    Header,
    PictureEntry,
    TreeHeader,
    TreeTick,
)
from bt_executive.store.tick_recorder import TickRecorder
from bt_executive.store.tree_and_state_changes import TreeLog, Visited, state_changes
from bt_executive.store.writer_thread import WriterThread
from rover_common.trace_event import TraceEvent, event_to_json

MAX_FAULTS = 20


class RunFolder:
    """Records one process of the executive.

    `emit` and `tick` are called by the tick thread, `add_picture` by the ROS callbacks.

    Attributes:
        recorder: Collects the inputs of the ticks, which the store keeps.
        started_at: UTC, ISO 8601, by the wall clock.
    """

    def __init__(self, folder: Path, metadata: RunMetadata) -> None:
        self.folder = folder
        self._metadata = metadata
        self._limits = metadata.config.executive.recording
        self.started_at = datetime.now(timezone.utc).isoformat(timespec='milliseconds')
        self._faults: deque[str] = deque(maxlen=MAX_FAULTS)
        self._files: list[JsonLinesFile] = []
        self._thread = WriterThread(self._faults.append)
        self._trace = self._file(TRACE_FILE, self._header(run_folder_formats.TRACE))
        self.recorder = TickRecorder()
        self._index = self._file(PICTURES_FILE, self._header(run_folder_formats.PICTURES))
        self._goals = self._file(GOALS_FILE, self._header(run_folder_formats.GOALS))
        self._tree: tuple[TreeLog, JsonLinesFile] | None = None
        self._matcher = PictureMatcher(self._save_picture)
        self._pictures: PictureFolder | None = None
        self._summary: SummaryFile | None = None
        self._latest_event = ''  # not yet named in tree.jsonl
        self._task_id = ''
        self._is_first_picture = True  # of the task
        self._state: BrainState | None = None  # as last written
        self._thread.submit(self._begin)

    def emit(self, event: TraceEvent) -> None:
        """Records a trace event."""
        data = event.data or {}
        self._latest_event = event.event_id
        self.recorder.record_event(event.event_id)
        task_id = str(data.get('task_id', self._task_id))
        is_of_waiting_goal = 'waits_for' in data or data.get('waited')
        if not is_of_waiting_goal and task_id != self._task_id:
            self._task_id, self._is_first_picture = task_id, True
        self._matcher.add_event(event)
        self._thread.submit(lambda: self._trace.write(event_to_json(event)))
        if 'goal_ended' in data:
            self._thread.submit(lambda: self._add_to_summary(data['goal_ended']))

    def add_picture(self, stamp: float, jpeg: bytes) -> None:
        """Adds a published picture; `stamp` in ROS seconds."""
        self._matcher.add_picture(stamp, jpeg)

    def set_tree(self, tree: TreeLog) -> None:
        """Sets the tree that `tick` records."""
        header = TreeHeader(
            **self._header(run_folder_formats.TREE).model_dump(), nodes=tree.nodes()
        )
        self._tree = tree, self._file(TREE_FILE, header)

    def tick(self, ts: float, mode: str, state: BrainState, visited: Visited) -> None:
        """Records tree and state after the tick at `ts` (ROS seconds).

        `visited`: the behaviours that were ticked.
        """
        tree, file = self._tree or (None, None)
        changes = tree.tick(ts, mode, visited) if tree else None
        self.recorder.end_tick(state, changed=changes is not None and bool(changes.status))
        event_id, self._latest_event = self._latest_event, ''
        if file is not None and (changes is not None or event_id):
            update = {'event_id': event_id, 'tick': self.recorder.tick_count}
            line = (changes or TreeTick(ts=ts, mode=mode)).model_copy(update=update)
            self._thread.submit(lambda: file.write(self._tick_json(line, state)))

    def add_fault(self, sentence: str) -> None:
        """Adds a sentence about what could not be recorded. Thread-safe."""
        self._faults.append(sentence)

    def faults(self) -> list[str]:
        """Return, and forget, the sentences about what could not be recorded."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self, within_s: float) -> None:
        """Finishes the waiting jobs and ends the thread; to be called once."""
        self._thread.submit(self._finish_summary)
        self._thread.submit(self._close_files)
        self._thread.close(within_s)

    def _header(self, name: str) -> Header:
        return Header(
            format=name,
            version=VERSIONS[name],
            run_id=self._metadata.run_id,
            started_at=self.started_at,
        )

    def _file(self, name: str, header: Header) -> JsonLinesFile:
        line = header.model_dump_json(by_alias=True)
        file = JsonLinesFile(
            self.folder / name, line, self._limits.max_file_mb, self._faults.append
        )
        self._files.append(file)
        return file

    def _save_picture(self, entry: PictureEntry, jpeg: bytes) -> None:
        copies: list[str] = []
        if not entry.words:  # it was scored, not described
            copies = ['first.jpg', 'last.jpg'] if self._is_first_picture else ['last.jpg']
            self._is_first_picture = False
        self._thread.submit(lambda: self._write_picture(entry, jpeg, copies))

    # --- run by the writer thread ----------------------------------------------------------------

    def _begin(self) -> None:
        save_run_metadata(self.folder, self._metadata, self.started_at)
        save_configuration(self._metadata.config, self.folder)

    def _write_picture(self, entry: PictureEntry, jpeg: bytes, copies: Sequence[str]) -> None:
        limits = self._limits
        if self._pictures is None:
            self._pictures = PictureFolder(
                self.folder, self._index, limits.max_pictures, limits.max_pictures_mb
            )
        self._pictures.write(entry, jpeg, copies)

    def _add_to_summary(self, goal: dict[str, Any]) -> None:
        if self._summary is None:
            self._summary = SummaryFile(self.folder, self._goals)
        self._summary.add(goal)

    def _finish_summary(self) -> None:
        if self._summary is not None:
            self._summary.finish()

    def _tick_json(self, changes: TreeTick, state: BrainState) -> str:
        before, self._state = self._state, state
        line = changes.model_copy(update={'state': state_changes(before, state)})
        return line.model_dump_json(exclude_defaults=True)

    def _close_files(self) -> None:
        for file in self._files:
            file.close()
