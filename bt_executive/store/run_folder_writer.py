"""What a run leaves behind, in one folder (docs/recordings.md). Nothing here waits for a disk.

The tick never waits for a disk. If the disk hangs, jobs wait up to a bound; beyond it they are
dropped and counted, and the count is told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bt_executive.core.state import BrainState
from bt_executive.store import run_folder_formats
from bt_executive.store.atomic_write import write_whole
from bt_executive.store.goal_summary_files import GOALS_FILE, SummaryFile
from bt_executive.store.json_lines_file import LineFile
from bt_executive.store.kept_pictures import PictureShelf
from bt_executive.store.picture_matching import PictureMatch
from bt_executive.store.recording_thread import Writer
from bt_executive.store.run_configuration import save_configuration
from bt_executive.store.run_facts import RunFacts, save_run_facts
from bt_executive.store.run_folder_formats import (
    PICTURES_FILE,
    PICTURES_FOLDER,
    TRACE_FILE,
    TREE_FILE,
    VERSIONS,
    Header,
    PictureEntry,
    TreeHeader,
    TreeTick,
)
from bt_executive.store.state_changes import state_changes
from bt_executive.store.tick_recorder import TickLog
from bt_executive.store.tree_log import TreeLog, Visited
from rover_common.trace_event import TraceEvent, event_to_json

FAULTS_KEPT = 20


class RunFolder:
    """Records one process of the executive.

    `emit` and `tick` belong to the tick thread, `picture` to the thread of the ROS callbacks.

    Attributes:
        log: Takes what the ticks are given; the store keeps it.
        started_at: UTC, ISO 8601, by the wall clock.
    """

    def __init__(self, folder: Path, facts: RunFacts) -> None:
        self.folder = folder
        self._facts = facts
        self._limits = facts.config.executive.recording
        self.started_at = datetime.now(timezone.utc).isoformat(timespec='milliseconds')
        self._faults: deque[str] = deque(maxlen=FAULTS_KEPT)
        self._files: list[LineFile] = []
        self._writer = Writer(self._faults.append)
        self._trace = self._file(TRACE_FILE, self._header(run_folder_formats.TRACE))
        self.log = TickLog()
        self._index = self._file(PICTURES_FILE, self._header(run_folder_formats.PICTURES))
        self._goals = self._file(GOALS_FILE, self._header(run_folder_formats.GOALS))
        self._tree: tuple[TreeLog, LineFile] | None = None
        self._match = PictureMatch(self._picture_scored)
        self._shelf: PictureShelf | None = None
        self._summary: SummaryFile | None = None
        self._latest_event = ''  # not yet named in tree.jsonl
        self._task = ''
        self._first_of_task = True
        self._state: BrainState | None = None  # as it was last written
        self._writer.do(self._begin)

    def emit(self, event: TraceEvent) -> None:
        """Takes a trace event."""
        data = event.data or {}
        self._latest_event = event.event_id
        self.log.emitted(event.event_id)
        if not data.get('waited'):
            self._note_task(str(data.get('task_id', self._task)))
        self._match.score(event)
        self._writer.do(lambda: self._trace.write(event_to_json(event)))
        if 'goal_ended' in data:
            self._writer.do(lambda: self._add_to_summary(data['goal_ended']))

    def picture(self, stamp: float, jpeg: bytes) -> None:
        """Takes a published picture; `stamp` in ROS seconds."""
        self._match.picture(stamp, jpeg)

    def watch(self, tree: TreeLog) -> None:
        """Names the tree that `tick` is about."""
        header = TreeHeader(
            **self._header(run_folder_formats.TREE).model_dump(), nodes=tree.nodes()
        )
        self._tree = tree, self._file(TREE_FILE, header)

    def tick(self, ts: float, mode: str, state: BrainState, visited: Visited) -> None:
        """Takes tree and state after the tick at `ts` (ROS seconds) through some behaviours."""
        tree, file = self._tree or (None, None)
        changes = tree.tick(ts, mode, visited) if tree else None
        self.log.end(state, moved=changes is not None and bool(changes.status))
        event_id, self._latest_event = self._latest_event, ''
        if file is not None and (changes is not None or event_id):
            update = {'event_id': event_id, 'tick': self.log.count}
            line = (changes or TreeTick(ts=ts, mode=mode)).model_copy(update=update)
            self._writer.do(lambda: file.write(self._tick_json(line, state)))

    def note_fault(self, sentence: str) -> None:
        """Takes a sentence about what could not be recorded, from any thread."""
        self._faults.append(sentence)

    def faults(self) -> list[str]:
        """Sentences about what could not be recorded, each once."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self, within_s: float) -> None:
        """Finishes what was handed over; to be called once, at the end."""
        self._writer.do(self._finish_summary)
        self._writer.do(self._close_files)
        self._writer.close(within_s)

    def _header(self, name: str) -> Header:
        return Header(
            format=name,
            version=VERSIONS[name],
            run_id=self._facts.run_id,
            started_at=self.started_at,
        )

    def _file(self, name: str, header: Header) -> LineFile:
        line = header.model_dump_json(by_alias=True)
        file = LineFile(self.folder / name, line, self._limits.max_file_mb, self._faults.append)
        self._files.append(file)
        return file

    def _note_task(self, task: str) -> None:
        if task != self._task:
            self._task, self._first_of_task = task, True

    def _picture_scored(self, entry: PictureEntry, jpeg: bytes) -> None:
        names: list[str] = []
        if not entry.words:  # a score, not a look
            names = ['first.jpg', 'last.jpg'] if self._first_of_task else ['last.jpg']
            self._first_of_task = False
        self._writer.do(lambda: self._keep_picture(entry, jpeg, names))

    # --- the writer's thread ---------------------------------------------------------------------

    def _begin(self) -> None:
        save_run_facts(self.folder, self._facts, self.started_at)
        save_configuration(self._facts.config, self.folder)

    def _keep_picture(self, entry: PictureEntry, jpeg: bytes, names: Sequence[str]) -> None:
        limits = self._limits
        if self._shelf is None:
            shelf = self.folder / PICTURES_FOLDER
            self._shelf = PictureShelf(shelf, limits.max_pictures, limits.max_pictures_mb)
        self._index.write(self._shelf.keep(entry, jpeg).model_dump_json())
        for name in names:
            write_whole(self.folder / name, jpeg)

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
