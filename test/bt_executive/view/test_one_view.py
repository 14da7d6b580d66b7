"""A run is the same wherever it is shown: live, after a reload, after a kill, from its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from killed_run import killed_run
from known import known
from page_patches import apply_patch, plain
import pytest
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.client.front_end_events import ClientEvent, ExecutiveLost, StateReceived
from bt_executive.client.tree_fold import Status, TreeNode
from bt_executive.core.robot_state import RobotState
from bt_executive.report.read_and_join_run_folders import join, read_recording
from bt_executive.report.view_of_recording import view_of
from bt_executive.view.page_data_fields_and_json import PageData, RunInfo
from bt_executive.view.run_view import RunView
from bt_executive.web.page_snapshots_and_patches import Cursor, LivePageData
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent

CONFIG = load_config(None)
LOST = ExecutiveLost('The executive was restarted.')


@dataclass(frozen=True)
class Seen:
    """Something that front ends are sent, and when."""

    ts: float
    event: ClientEvent


@dataclass(frozen=True)
class Run:
    """What a run sent, process by process, and its folders."""

    sent: Sequence[Sequence[Seen]]
    folders: Sequence[Path]


class Listening(RecordedRun):
    """Records a bench, and notes what a front end receives of each tick."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.sent: list[Seen] = []
        super().__init__(*arguments, **options)
        self._passed = len(self.bench.events)

    def tick(self, times: int = 1, after: float = 0.1) -> None:
        for _ in range(times):
            super().tick(after=after)
            context = self.bench.executive.context
            new, self._passed = self.bench.events[self._passed :], len(self.bench.events)
            # Readings of the robot are compared by themselves (test_chart_series.py).
            state = StateReceived(replace(context.state, robot=RobotState()), context.now.ros)
            tree = node_of(self.bench.executive.root)
            events: list[ClientEvent] = [*new, state, tree]
            self.sent += [Seen(context.now.ros, each) for each in events]


def node_of(behaviour: Any) -> TreeNode:
    status: Status = behaviour.status.name.lower()
    children = tuple(node_of(each) for each in behaviour.children)
    return TreeNode(behaviour.name, status, behaviour.feedback_message, children)


@pytest.fixture(scope='module')
def recorded(bench: MakeBench, propose: Propose, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A goal with a refusal, and one that goes on after a kill."""
    folder = tmp_path_factory.mktemp('runs')
    one, two = killed_run(bench, propose, folder, Listening, [propose('move_nudge')])
    assert isinstance(one, Listening)
    assert isinstance(two, Listening)
    return Run([one.sent, two.sent], [folder / 'first', folder / 'second'])


def shown(view: RunView | PageData) -> Any:
    """What people are shown, without what differs by its nature.

    That is: where and what the robot measured, the behaviours that were never planted, and since
    when and why nothing was known of the executive.
    """
    data = view if isinstance(view, PageData) else view.data('run', 0.0, 0.0, RunInfo())
    kept = plain(data)
    states = [(state_of(tree), tree['moments'][-1][3]) for tree in kept['trees']]
    stages = [(ts, mode, why) for ts, mode, why in kept['stages'] if mode]
    goals = [{**goal, 'left_out': 0} for goal in kept['goals']]
    return goals, kept['between'], kept['events'], stages, states, kept['world']


def state_of(tree: Any) -> Any:
    """The last letters and words of the behaviours that were reached, by their paths."""
    letters: dict[str, str] = {}
    words: dict[str, str] = {}
    for _, new_letters, new_words, *_ in tree['moments']:
        letters |= new_letters
        words |= new_words
    paths: list[str] = []
    for name, _, parent in tree['nodes']:
        paths.append(name if parent is None else f'{paths[parent]} › {name}')
    seen = {
        path: (letters.get(str(node)), words.get(str(node))) for node, path in enumerate(paths)
    }
    return {path: each for path, each in seen.items() if each[0] not in (None, 'I')}


def applied(sent: Sequence[Seen]) -> RunView:
    view = RunView(CONFIG)
    for each in sent:
        view.apply(each.event, each.ts)
    return view


def killed(run: Run) -> Iterator[Seen]:
    first, second = run.sent
    yield from first
    yield Seen(first[-1].ts, LOST)
    yield from second


@pytest.fixture(scope='module')
def from_folder(recorded: Run) -> Any:
    joined = join([read_recording(each) for each in recorded.folders])
    return shown(view_of(replace(joined, poses=(), charges=(), config=CONFIG)))


@pytest.mark.slow
def test_a_run_is_the_same_live_and_from_its_folder(recorded: Run, from_folder: Any) -> None:
    live = shown(applied([*killed(recorded)]))
    for mine, other in zip(live, from_folder, strict=True):
        assert mine == other


@pytest.mark.slow
@settings(max_examples=15)
@given(st.data())
def test_wherever_it_is_cut_a_page_ends_with_what_is_shown_at_once(
    recorded: Run, from_folder: Any, data: st.DataObject
) -> None:
    """The page looks now and then; states and the end of the executive are received late."""
    happened = [*killed(recorded)]
    lost = next(number for number, each in enumerate(happened) if each.event is LOST)
    late = data.draw(st.integers(lost, min(lost + 30, len(happened) - 1)), 'the loss is reported')
    happened.insert(late, happened.pop(lost))
    for number in data.draw(st.sets(st.integers(0, len(happened) - 9), max_size=8), 'states late'):
        if isinstance(happened[number].event, StateReceived):
            happened.insert(number + 7, happened.pop(number))
    opened = data.draw(st.integers(0, len(happened) - 1), 'the page is opened')
    looks = data.draw(st.sets(st.integers(opened, len(happened) - 1), max_size=8), 'it is sent')
    twice = data.draw(st.sets(st.integers(0, len(happened) - 1), max_size=8), 'received twice')
    now = [0.0]
    stage = LivePageData('run', CONFIG, lambda: now[0])
    page: dict[str, Any] = {}
    cursor: Cursor | None = None
    for number, each in enumerate(happened):
        now[0] = each.ts
        for _ in range(1 + (number in twice and isinstance(each.event, TraceEvent))):
            stage.apply(each.event)
        if number == opened:
            whole, cursor = stage.snapshot()
            page = plain(whole)
        elif cursor is not None and number in looks:
            patch, cursor = stage.patch(cursor)
            apply_patch(page, plain(patch))
        assert_no_open_goal_is_over(stage)
    patch, _ = stage.patch(known(cursor))
    apply_patch(page, plain(patch))
    reloaded, _ = stage.snapshot()
    assert {**page, 'began': 0.0} == {**plain(reloaded), 'began': 0.0}
    live, folder = shown(reloaded), from_folder
    assert live[0] == folder[0]
    assert live[1:3] == folder[1:3]
    assert live[4:] == folder[4:]


def assert_no_open_goal_is_over(stage: LivePageData) -> None:
    """What the queue shows is not told as ended, nor as cut short."""
    waits = {task for task, _ in stage.current.queue}
    stories = [goal.story for goal in stage.snapshot()[0].goals]
    assert not [story.text for story in stories if story.task_id in waits and story.over]
