"""Writes the run folder (docs/recordings.md). No caller waits for a disk.

If the disk hangs, a bounded number of jobs waits; further ones are dropped and reported.

Each ended goal is a line of goals.jsonl, and summary.json is rewritten with the latest `MAX_GOALS`
of them, so that the cost does not grow; at the end of the run, with all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
import json
from pathlib import Path
import queue
from typing import Any

from bt_executive.core.state import BrainState
from bt_executive.store import run_folder_formats
from bt_executive.store.crash_safe_writing import JsonLinesFile, write_whole
from bt_executive.store.recorded_pictures import PictureFolder, PictureMatcher
from bt_executive.store.run_configuration_and_metadata import (
    RunMetadata,
    save_configuration,
    save_run_metadata,
)
from bt_executive.store.run_file_reading import read_lines
from bt_executive.store.run_folder_formats import (
    GOALS,
    GOALS_FILE,
    PICTURES_FILE,
    PICTURES_FOLDER,
    SUMMARY_FILE,
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
from rover_common.errors import RecordingError
from rover_common.process.threads import describe_error, start_thread
from rover_common.trace_event import TraceEvent, event_to_json

MAX_GOALS = 100

GoalSummary = dict[str, Any]


class SummaryFile:
    """Writes the entry of each goal; those of earlier processes of the run stay.

    Args:
        folder: The run folder.
        lines: goals.jsonl in that folder.
    """

    def __init__(self, folder: Path, lines: JsonLinesFile) -> None:
        self._folder = folder
        self._lines = lines
        self._count = 0
        self._latest: deque[GoalSummary] = deque(maxlen=MAX_GOALS)
        for goal in _read_goals(folder):
            self._append(goal)

    def add(self, goal: GoalSummary) -> None:
        """Adds the entry of a goal.

        Raises:
            OSError: summary.json cannot be written; the previous one is intact.
        """
        self._lines.write(json.dumps(goal, ensure_ascii=False, separators=(',', ':')))
        self._append(goal)
        self._write(list(self._latest))

    def finish(self) -> None:
        """Writes summary.json with every goal, at the end of the run.

        Raises:
            OSError: It cannot be written; the previous one is intact.
        """
        if self._count > len(self._latest):
            goals = list(_read_goals(self._folder))
            latest, missing = list(self._latest), self._count - len(goals)
            # Some are missing if goals.jsonl was full.
            self._write([*goals, *latest[max(0, MAX_GOALS - missing) :]])

    def _append(self, goal: GoalSummary) -> None:
        self._count += 1
        self._latest.append(goal)

    def _write(self, goals: Sequence[GoalSummary]) -> None:
        content = {**self._latest[-1], 'goal_count': self._count, 'goals': list(goals)}
        text = json.dumps(content, ensure_ascii=False, indent=2)
        write_whole(self._folder / SUMMARY_FILE, (text + '\n').encode())


def _read_goals(folder: Path) -> Iterator[GoalSummary]:
    try:
        processes = read_lines(folder / GOALS_FILE, GOALS).processes
    except RecordingError:
        return  # the first process, or an unreadable file: it begins anew
    for process in processes:
        yield from process.entries


CAPACITY = 20_000

Job = Callable[[], None]


class WriterThread:
    """Runs jobs in order.

    Args:
        report: Called by the thread with a sentence when a job fails.
        capacity: Maximum number of waiting jobs.
    """

    def __init__(self, report: Callable[[str], None], capacity: int = CAPACITY) -> None:
        self._report = report
        self._jobs: queue.Queue[Job | None] = queue.Queue(capacity)
        self._dropped = 0
        self._thread = start_thread(self._work, 'recording', self._report_end)

    def submit(self, job: Job) -> None:
        """Queues a job. Never blocks; drops the job if the queue is full."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._dropped += 1
            if self._dropped == 1:
                self._report('The disk is too slow for the recording; parts of it are left out.')

    def close(self, within_s: float) -> None:
        """Finishes the queued jobs, for at most `within_s` seconds."""
        try:
            self._jobs.put(None, timeout=within_s)
        except queue.Full:
            return
        self._thread.join(within_s)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except OSError as error:
                self._report(f'{error.filename} cannot be written ({error.strerror}).')
            except Exception as error:
                self._report(
                    f'A part of the recording cannot be written down: {describe_error(error)}.'
                )

    def _report_end(self, fault: BaseException) -> None:
        self._report(f'Nothing more is recorded: {describe_error(fault)}.')


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
            folder = self.folder / PICTURES_FOLDER
            self._pictures = PictureFolder(folder, limits.max_pictures, limits.max_pictures_mb)
        self._index.write(self._pictures.save(entry, jpeg).model_dump_json())
        for name in copies:
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
