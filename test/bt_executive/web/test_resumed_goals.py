"""A run has the same ends live, after a reload, in the report and after kills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from known import known
import pytest

from bt_executive.client.front_end_events import ClientEvent, ExecutiveLost, StateReceived
from bt_executive.core.goal_queue import Task
from bt_executive.core.state import BrainState, TasksState
from bt_executive.view.goals_of_a_run import NO_END, GoalStory, read_goals
from bt_executive.view.steps_of_a_goal import Remark
from bt_executive.web.page_snapshots_and_patches import LivePageData
from rover_common.config.load import load_config
from rover_common.trace_event import Kind, TraceEvent

CONFIG = load_config(None)
LOST = ExecutiveLost('The executive was restarted.')
Ends = dict[str, tuple[str, str, bool]]


@dataclass(frozen=True)
class Told:
    """An event, and the state of the executive after it."""

    event: TraceEvent
    state: StateReceived


class Run:
    """Writes a trace as executives do that are killed and go on with what they left open."""

    def __init__(self) -> None:
        self.lives: list[list[Told]] = [[]]
        self.queue: list[Task] = []
        self.active: str | None = None

    def begin(self, task: str) -> None:
        self.queue.append(Task(task, f'goal {task}'))
        self.active = task
        self.emit('OBSERVE', f'New goal: goal {task}', task_id=task)

    def work(self) -> None:
        self.emit('ACT', 'move_forward started')

    def end(self) -> None:
        task = self._take()
        summary = {'outcome': 'reached', 'answer': f'done {task}', 'goal': f'goal {task}'}
        self.emit('RESULT', 'Goal reached', task_id=task, goal_ended=summary)

    def end_and_be_killed(self) -> None:
        """The end is stored, and reported by the next run alone."""
        task = self._take()
        self.kill({'task_id': task, 'outcome': 'reached', 'answer': f'done {task}'})

    def kill(self, *ended: dict[str, Any]) -> None:
        self.lives.append([])
        goes_on = {'task_id': self.active, 'goal': f'goal {self.active}'} if self.active else None
        self.emit('OBSERVE', 'Resumed', lives={'before': 'x'}, goes_on=goes_on, ended=[*ended])

    def _take(self) -> str:
        task, self.active = known(self.active), None
        self.queue = [each for each in self.queue if each.task_id != task]
        return task

    def emit(self, kind: Kind, message: str, **data: Any) -> None:
        life = self.lives[-1]
        number = sum(map(len, self.lives)) + 1
        name = f'run-{len(self.lives)}-{len(life) + 1:06d}'
        event = TraceEvent(name, 100.0 + number, kind, message, data=data)
        life.append(Told(event, self.state()))

    def state(self) -> StateReceived:
        tasks = TasksState(queue=tuple(self.queue), active_task_id=self.active)
        return StateReceived(BrainState(tasks=tasks), 100.0)


@st.composite
def runs(draw: st.DrawFn, may_die: bool = True) -> Run:
    """`may_die`: an executive may be killed before it has reported the end of a goal."""
    run = Run()
    for task in draw(st.sampled_from(['a', 'ab', 'abc'])):
        run.begin(task)
        for kills in draw(st.lists(st.integers(0, 2), max_size=4)):
            run.work()
            for _ in range(kills):
                run.kill()
        if task != 'c' or draw(st.booleans()):
            run.end_and_be_killed() if may_die and draw(st.booleans()) else run.end()
    return run


def ends_of(goals: Sequence[GoalStory]) -> Ends:
    return {goal.task_id: (goal.outcome, goal.answer, goal.over) for goal in goals}


def live_ends(happened: Sequence[ClientEvent]) -> Ends:
    stage, shown = LivePageData('run', CONFIG, lambda: 100.0), Ends()
    _, cursor = stage.snapshot()
    for each in happened:
        stage.apply(each)
        patch, cursor = stage.patch(cursor)
        for story in (goal['story'] for goal in known(patch)['goals']):
            shown[story['task_id']] = story['outcome'], story['answer'], story['over']
    data, _ = stage.snapshot()  # what a page gets that is loaded now
    assert shown == ends_of([goal.story for goal in data.goals])
    return shown


@st.composite
def received(draw: st.DrawFn, run: Run) -> list[ClientEvent]:
    """What a page receives.

    That an executive is lost comes late, or twice; the first event of the next one may be missed,
    unless it is the only one of an end; states come now and then.
    """
    happened: list[ClientEvent] = []
    lost_in = -1
    for number, life in enumerate(run.lives):
        if number:
            lost_in = draw(st.integers(0, 3))
        for each in life:
            if lost_in == 0:
                happened += [LOST] * draw(st.integers(1, 2))
            lost_in -= 1
            begins = each.event.data or {}
            if 'lives' not in begins or begins['ended'] or draw(st.booleans()):
                happened.append(each.event)
            if draw(st.booleans()):
                happened.append(each.state)
    if draw(st.booleans()):
        happened.append(LOST)
    return [*happened, run.state()]


@pytest.mark.slow
@given(st.data())
def test_a_run_has_the_same_ends_wherever_it_is_shown(data: st.DataObject) -> None:
    run = data.draw(runs())
    goals = read_goals([[each.event for each in life] for life in run.lives])
    assert live_ends(data.draw(received(run))) == ends_of(goals)


@given(runs(may_die=False))
def test_an_end_does_not_depend_on_kills(run: Run) -> None:
    events = [each.event for life in run.lives for each in life]
    alone = [replace(each, event_id=f'run-1-{each.ts}') for each in events]
    never_killed = [each for each in alone if 'lives' not in (each.data or {})]
    goals = read_goals([[each.event for each in life] for life in run.lives])
    assert ends_of(goals) == ends_of(read_goals([never_killed]))


def test_a_goal_whose_executive_is_gone_is_cut_short_until_another_goes_on_with_it() -> None:
    run = Run()
    run.begin('a')
    before = [each.event for each in run.lives[0]]
    assert live_ends([*before, LOST]) == {'a': ('unfinished', NO_END, True)}
    run.kill()
    resumed = [each.event for each in run.lives[1]]
    assert live_ends([*before, LOST, *resumed]) == {'a': ('unfinished', '', False)}
    assert live_ends([*before, *resumed, LOST, run.state()]) == {'a': ('unfinished', '', False)}


def test_an_end_that_only_the_next_run_reports_is_shown_on_an_open_page() -> None:
    run = Run()
    run.begin('a')
    run.end_and_be_killed()
    before, after = ([each.event for each in life] for life in run.lives)
    assert live_ends([*before, LOST, *after]) == {'a': ('reached', 'done a', True)}


def test_a_run_that_goes_on_with_nothing_leaves_the_goal_cut_short() -> None:
    run, other = Run(), Run()
    run.begin('a')
    other.lives = [[], []]
    other.begin('b')
    events = [each.event for each in (*run.lives[0], *other.lives[1])]
    ends = live_ends([*events, LOST, other.state()])
    assert ends == {'a': ('unfinished', NO_END, True), 'b': ('unfinished', '', False)}


def test_a_page_that_is_opened_in_the_middle_shows_the_goal_of_the_queue() -> None:
    run = Run()
    run.begin('a')
    run.work()
    assert live_ends([run.state()]) == {'a': ('unfinished', '', False)}
    late: list[ClientEvent] = [run.state(), run.lives[0][1].event]
    assert live_ends(late) == {'a': ('unfinished', '', False)}
    run.end()
    assert live_ends([*late, run.lives[0][2].event]) == {'a': ('reached', 'done a', True)}


def test_a_state_from_before_an_end_opens_no_goal_again() -> None:
    run = Run()
    run.begin('a')
    old = run.state()
    run.end()
    events = [each.event for each in run.lives[0]]
    assert live_ends([*events, old]) == {'a': ('reached', 'done a', True)}


def test_events_belong_to_the_goal_of_a_state_where_those_before_them_were_missed() -> None:
    run = Run()
    run.begin('a')
    run.kill()
    run.work()
    (begun,), (_, worked) = run.lives
    data = LivePageData('run', CONFIG, lambda: 100.0)
    for each in (begun.event, LOST, worked.state, worked.event):
        data.apply(each)
    page, _ = data.snapshot()
    (goal,) = page.goals
    assert [row.text for row in goal.story.rows if isinstance(row, Remark)] == [
        worked.event.message
    ]
    assert (page.between, goal.story.over) == ([], False)
