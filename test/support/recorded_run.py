"""A run folder made by the real tree on a bench: what the executive's node would leave behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
import io
import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PIL import Image
from py_trees.common import Status
from tree_bench import TreeBench

from bt_executive.core.inputs import BatteryReceived, PoseReceived
from bt_executive.core.store_port import NoStore, RunStart, Store
from bt_executive.store.inputs_from_journal_or_export import export_inputs
from bt_executive.store.journal_location import RUN_JOURNAL
from bt_executive.store.recording_ports import (
    RecordedGoalReader,
    RecordedGraph,
    RecordedInbox,
    RecordedPlanner,
    RecordedRobot,
    RecordedStore,
)
from bt_executive.store.run_configuration_and_metadata import RunMetadata, digest_of
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.store.store_lock_and_previous_run import start_store
from bt_executive.store.tick_recorder import RecordKind
from bt_executive.store.tree_and_state_changes import TreeLog
from bt_executive.tree.executive import Executive, StepReport
from bt_executive.tree.resume_from_checkpoints import RunBegins
from bt_executive.tree.subtrees_on_demand import fully_planted
from rover_common.clocks import Now
from rover_common.errors import RecordingError


def jpeg(grey: int = 90, size: int = 64) -> bytes:
    """A picture."""
    data = io.BytesIO()
    Image.new('RGB', (size, size), (grey, grey, grey)).save(data, 'JPEG')
    return data.getvalue()


class RecordedFolder(RunFolder):
    """A run folder with a journal of its own, from which it is exported when the run ends."""

    def __init__(self, folder: Path, metadata: RunMetadata, approvals: str = '') -> None:
        super().__init__(folder, metadata)
        start = RunStart(
            run_id=metadata.run_id,
            run_dir=str(folder),
            pid=0,
            boot_id='',
            version='',
            started_at=self.started_at,
            approvals=approvals,
            configuration=digest_of(metadata.config),
        )
        settings, path = metadata.config.executive.journal, folder / RUN_JOURNAL
        started = start_store(path, settings, start, Now.at(0.0), lambda: None, self.add_fault)
        self.inputs = started.store

    def close(self, within_s: float) -> None:
        """See `RunFolder.close`."""
        super().close(within_s)
        self.inputs.close(Now.at(0.0), 'closed', within_s)
        with suppress(RecordingError):  # a run without an event
            export_inputs(self.folder)


class RecordedExecutive(Executive):
    """The executive of a bench, taken over: each step is recorded as its node records it."""

    def __init__(
        self,
        bench: TreeBench,
        folder: RecordedFolder,
        store: Store | None = None,
        begins: RunBegins | None = None,
    ) -> None:
        recorder, ports = folder.recorder, bench.context.ports
        bench.inbox = bench.robot.inbox = RecordedInbox(recorder)
        robot = RecordedRobot(ports.robot, recorder)
        bench.resume(
            begins or RunBegins(),
            bench.context.approvals,
            inbox=bench.inbox,
            robot=robot,
            store=RecordedStore(store or NoStore(), recorder, begins),
            planner=RecordedPlanner(ports.planner, recorder),
            graph=RecordedGraph(ports.graph, recorder),
            reader=RecordedGoalReader(ports.reader, recorder),
        )
        recorder.write = folder.inputs.record  # whatever the bench's own store is
        vars(self).update(vars(bench.executive))
        self._bench, self._folder = bench, folder
        self._told = len(bench.events)
        bench.executive = self
        with fully_planted(self.root) as root:
            folder.set_tree(TreeLog(root))

    def step(self, now: Now) -> StepReport:
        """See `Executive.step`."""
        self._folder.recorder.begin_tick(now)
        report = super().step(now)
        self._pass_on()
        self._folder.tick(now.ros, report.mode, self.context.state, self.visited)
        return report

    def shut_down(self) -> None:
        """See `Executive.shut_down`."""
        recorder = self._folder.recorder
        recorder.begin_tick(self.context.now)
        recorder.record(RecordKind.SHUT_DOWN, {})
        super().shut_down()
        self._pass_on()
        recorder.end_tick(self.context.state, changed=False)

    def _pass_on(self) -> None:
        for event in self._bench.events[self._told :]:
            self._folder.emit(event)
        self._told = len(self._bench.events)


class RecordedRun:
    """Records a bench into a folder.

    `bench`: as made by the fixture of that name; its events, ticks and time are followed.
    `odd`: fields in which the answers to captures differ from what they should be.
    """

    def __init__(
        self,
        folder: Path,
        bench: TreeBench,
        run_id: str = 'run.1',
        overrides: Sequence[str] = (),
        odd: Mapping[str, Any] = MappingProxyType({}),
        versions: Mapping[str, str] = MappingProxyType({'python': '3'}),
        store: Store | None = None,
        begins: RunBegins | None = None,
    ) -> None:
        self.bench = bench
        self._odd = odd
        process = bench.context.approvals.run_token
        metadata = RunMetadata(run_id, bench.context.config, overrides, dict(versions))
        self.folder = RecordedFolder(folder, metadata, process)
        RecordedExecutive(bench, self.folder, store, begins)
        # Of the tree, after each tick: status and words of each node, by its id.
        self.states: list[dict[int, tuple[Status, str]]] = []

    def tick(self, times: int = 1, after: float = 0.1) -> None:
        """Ticks the bench and records what comes of it."""
        for _ in range(times):
            now = self.bench.now + after
            self.bench.inbox.put(PoseReceived(now, now - 100.0, 0.5 * (now - 100.0), 0.2))
            self.bench.inbox.put(BatteryReceived(now, 190.0 - now))
            self.bench.tick(after=after)
            with fully_planted(self.bench.executive.root) as root:
                nodes = list(root.iterate())
            self.states.append({id(each): (each.status, each.feedback_message) for each in nodes})

    def until_ended(self, scores: Iterable[float] = (), bound: int = 300) -> None:
        """Ticks until as many goals have ended as were asked for.

        Captures get these scores in turn, with their pictures; all other calls succeed at once.
        """
        left = iter(scores)
        goals = len(self.bench.reporter.endings) + 1
        answered = len(self.bench.robot.sent)
        for _ in range(bound):
            self.bench.status()
            self.tick()
            for _server_call_id, name in self.bench.robot.sent[answered:]:
                self.bench.robot.answer(name, **self._reply(name, left))
            answered = len(self.bench.robot.sent)
            if len(self.bench.reporter.endings) >= goals:
                self.tick()
                return
        raise AssertionError(f'no end after {bound} ticks')

    def _reply(self, name: str, scores: Iterator[float]) -> dict[str, Any]:
        if name != '/capture_and_score':
            return {'success': True, 'message': ''}
        score, stamp = next(scores), self.bench.now
        self.folder.add_picture(stamp, jpeg(int(255 * score)))
        good = {'ok': True, 'score': score, 'is_good': score > 0.8, 'debug': '{}'}
        return {**good, 'stamp': stamp, **self._odd}

    def close(self) -> None:
        """The process ends."""
        self.folder.close(20.0)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, headers included."""
    return [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()]
