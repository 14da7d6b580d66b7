"""The trace as a story: goals, and in each the tools that were asked for, in order.

Event by event, so that a page can be live; `read_goals` reads whole traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bt_executive.client.front_end_events import PublishedGoalEnd
from bt_executive.core.error_codes import CallError
from bt_executive.core.queued_goal import Task
from bt_executive.view.goal_story import UNFINISHED, GoalStory, Remark, ToolStep
from bt_executive.view.goal_story_steps import add_to_rows, remark_of
from bt_executive.view.trace_sentences import describe_event
from rover_common.trace_event import TraceEvent

CUT_SHORT = 'The executive ended while it pursued this goal.'
NO_END_KNOWN = 'it is not known how this ended'  # of a call
GOALS_KEPT = 200
ENDS_KEPT = 200  # more than an executive keeps


def read_goals(runs: Iterable[Iterable[TraceEvent]]) -> list[GoalStory]:
    """The goals of the traces of runs, in the order of their beginnings."""
    story = GoalStories()
    for run in runs:
        story.begin_run()
        for event in run:
            story.apply(event)
    return story.goals


def is_wanted_end(event: TraceEvent) -> bool:
    """Whether somebody has ended a goal, or a tool with it: that is no error.

    What is not safe ends them, too, and the adapter does, for reasons that are errors.
    """
    data = event.data or {}
    ended = data.get('goal_ended')
    if isinstance(ended, dict):
        return ended.get('outcome') == 'interrupted'
    return event.kind == 'ERROR' and data.get('error_code') == CallError.CANCELLED.value


class GoalStories:
    """Takes events in their order.

    A goal is known by its task id, whichever run of the executive pursues it. That an executive
    was lost is only a guess about its goals, and may be received late: the next event of the run
    that pursues a goal, or a state in which the goal stands, takes it back.

    Attributes:
        goals: In the order of their beginnings.
        current: The one that the executive pursues.
        between: What happened outside of any goal.
        number: Of the latest event; -1 before the first.
    """

    def __init__(self) -> None:
        self.goals: list[GoalStory] = []
        self.number = -1
        self.between: list[Remark] = []
        self._by_task: dict[str, GoalStory] = {}
        self.current: GoalStory | None = None
        self._run = ''  # of the executive, that the latest event is of
        self._lost = False  # whether the executive of that run was reported as lost
        self._ends: dict[str, PublishedGoalEnd] = {}  # by task id, as the executive keeps them

    def continued(self) -> GoalStories:
        """Return a story that goes on with the latest goals, without what happened in them."""
        story = GoalStories()
        for goal in self.goals[-GOALS_KEPT:]:
            known = story._by_task[goal.task_id] = replace(goal, rows=[])
            story.goals.append(known)
            if goal is self.current:
                story.current = known
        story._run, story._lost, story._ends = self._run, self._lost, self._ends
        return story

    def begin_run(self) -> None:
        """The executive was started; what it pursued before is cut short, unless it resumes it."""
        self.lose_executive()
        self.current = None
        self._lost = False

    def lose_executive(self) -> None:
        """The executive answers no more: goals that are open are cut short, as far as is known."""
        for goal in self.goals:
            if not goal.over:
                goal.answer = CUT_SHORT
                _close(goal)
            self._end_as_kept(goal)
        self._lost = True

    def note_end(self, end: PublishedGoalEnd) -> bool:
        """Takes one of the ends that the executive keeps; return whether a goal reads otherwise.

        A goal that is taken for cut short may have been resumed and ended before anybody heard
        of the new run. For all others the trace has the end, in its place.
        """
        self._ends[end.task_id] = end
        while len(self._ends) > ENDS_KEPT:
            del self._ends[next(iter(self._ends))]
        goal = self._by_task.get(end.task_id)
        return goal is not None and self._end_as_kept(goal)

    def _end_as_kept(self, goal: GoalStory) -> bool:
        end = self._ends.get(goal.task_id)
        if end is None or not goal.over or goal.has_ended:
            return False
        goal.outcome, goal.answer, goal.summary = end.outcome, end.answer, end.summary
        return True

    def pursue(self, tasks: Iterable[Task], active: str | None, ts: float) -> list[GoalStory]:
        """Enters the open goals of a state of the executive; returns those that changed.

        Args:
            tasks: The goals in the queue.
            active: The id of the one that is pursued.
            ts: ROS time in s of the state.
        """
        changed = []
        for task in tasks:
            goal = self._by_task.get(task.task_id)
            if goal is None and task.task_id == active:
                began = task.received_at if 0.0 < task.received_at < ts else ts
                goal = self._new(task.task_id, task.title, began)
                goal.ended, goal.is_joined = ts, True
                changed.append(goal)
            if goal is None or goal.has_ended:  # a state may be older than the latest event
                continue
            if goal.over:
                _reopen(goal)
                changed.append(goal)
            if task.task_id == active:
                self.current = goal
        self._lost = False
        return changed

    def apply(self, event: TraceEvent) -> GoalStory | None:
        """Enters an event; returns the goal that it is part of, if any."""
        self.number += 1
        data = event.data or {}
        self._note_run(event)
        ended = data.get('goal_ended')
        if 'lives' in data:
            self._note_ends(data.get('ended'))
            return self._go_on(event, data.get('goes_on'))
        if isinstance(ended, dict):
            return self._end(event, ended, self._ended_goal(event, data, ended))
        if 'task_id' in data and event.kind == 'OBSERVE':
            return self._begin(event, str(data['task_id']))
        if self.current is None:
            self.between.append(remark_of(event, self.number))
            return None
        self._go_on_with(self.current, event)
        return self.current

    def find(self, task_id: str) -> GoalStory | None:
        """The latest goal of that id."""
        return self._by_task.get(task_id)

    def _go_on_with(self, goal: GoalStory, event: TraceEvent) -> None:
        goal.ended = event.ts
        add_to_rows(goal.rows, event, self.number)
        if event.kind != 'OBSERVE':
            goal.doing = describe_event(event).text
        result = (event.data or {}).get('result')
        if event.kind == 'RESULT' and isinstance(result, dict):
            goal.result = result

    def _note_run(self, event: TraceEvent) -> None:
        """The executive of an event is there; one of another run pursues nothing yet."""
        run = event.event_id.rpartition('-')[0]
        if self._run and run != self._run:
            self.lose_executive()
            self.current = None
        elif self._lost and self.current is not None:
            _reopen(self.current)
        self._run, self._lost = run, False

    def _go_on(self, event: TraceEvent, goes_on: Any) -> GoalStory | None:
        """This run resumes what the previous one left open, perhaps in another run folder."""
        if not isinstance(goes_on, dict):
            self.between.append(remark_of(event, self.number))
            return None
        task, words = str(goes_on.get('task_id')), str(goes_on.get('goal'))
        goal = self._by_task.get(task) or self._new(task, words, event.ts)
        _reopen(goal)
        goal.rows.append(remark_of(event, self.number))
        self.current = goal
        return goal

    def _note_ends(self, ended: Any) -> None:
        """Enters ends of goals that the previous run was killed too early to write down."""
        for each in ended if isinstance(ended, list) else []:
            goal = self._by_task.get(str(each.get('task_id'))) if isinstance(each, dict) else None
            if goal is not None and not goal.has_ended:
                goal.outcome = str(each.get('outcome', UNFINISHED))
                goal.answer = str(each.get('answer', ''))
                _close(goal)

    def _new(self, task: str, words: str, ts: float) -> GoalStory:
        goal = self._by_task[task] = GoalStory(words, ts, ts, task_id=task)
        self.goals.append(goal)
        return goal

    def _ended_goal(
        self, event: TraceEvent, data: Mapping[str, Any], summary: Mapping[str, Any]
    ) -> GoalStory | None:
        """The goal that an end is of: one that is known, or one whose beginning was not seen."""
        task, words = data.get('task_id'), summary.get('goal')
        if not isinstance(task, str):
            return self.current
        goal = self._by_task.get(task)
        if goal is None and isinstance(words, str):
            goal = self._new(task, words, event.ts)
        return goal or self.current

    def _begin(self, event: TraceEvent, task: str) -> GoalStory:
        goal = self._by_task.get(task)
        why = (event.data or {}).get('waits_for')  # which stands behind the goal's text
        words = event.message.partition(': ')[2] or event.message
        words = words.removesuffix(f' ({why})')
        if goal is None or goal.has_ended:
            goal = self._new(task, words, event.ts)
        elif goal.rows:
            _reopen(goal)
            goal.rows.append(remark_of(event, self.number))
        else:  # a state has named it before this event
            _reopen(goal)
            goal.began, goal.ended = event.ts, max(goal.ended, event.ts)
            goal.is_joined = False
        self.current = goal
        return goal

    def _end(
        self, event: TraceEvent, summary: Mapping[str, Any], goal: GoalStory | None
    ) -> GoalStory | None:
        if goal is None:
            self.between.append(remark_of(event, self.number))
            return None
        goal.ended = event.ts
        _close(goal)
        goal.summary = summary
        goal.outcome = str(summary.get('outcome', UNFINISHED))
        goal.answer = str(summary.get('answer', ''))
        _withdraw_requests(goal.rows)
        last = goal.rows[-1] if goal.rows else None
        if isinstance(last, Remark) and last.text == goal.answer:
            goal.rows.pop()  # the answer, in the model's own words
        if goal is self.current:
            self.current = None
        return goal


def _reopen(goal: GoalStory) -> None:
    """The goal is pursued again, or still, after all."""
    if goal.over and not goal.has_ended:
        goal.answer, goal.over = '', False
        for step in goal.steps:
            if step.result == NO_END_KNOWN:
                step.ended, step.early, step.result = None, False, ''


def _close(goal: GoalStory) -> None:
    """The goal is over, and so is each call in it, whatever became of it."""
    goal.over = True
    for step in goal.steps:
        if step.began is not None and step.ended is None:
            step.ended, step.early, step.result = goal.ended, True, NO_END_KNOWN


def _withdraw_requests(rows: Iterable[ToolStep | Remark]) -> None:
    """The goal has ended: what waited for a human does so no more."""
    for row in rows:
        if isinstance(row, ToolStep) and row.verdict == 'asked' and row.began is None:
            answered = row.approval is not None and row.approval.action
            row.verdict = row.verdict if answered else 'withdrawn'
