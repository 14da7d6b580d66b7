"""Folds the trace of a run into its goals: begin, resumption and end of each. Times in ROS s.

Events are applied one by one, for live pages; `read_goals` reads whole traces. The fields of a
goal are those of the page's data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bt_executive.client.front_end_events import PublishedGoalEnd
from bt_executive.core.error_codes import CallError
from bt_executive.core.goal_queue import Task
from bt_executive.view.steps_of_a_goal import Remark, ToolStep, add_to_rows, remark_of
from bt_executive.view.trace_sentences import describe_event
from rover_common.trace_event import TraceEvent

UNFINISHED = 'unfinished'
SHORT_S = 5.0  # a goal that took longer is not trivial


@dataclass
class GoalStory:
    """One goal from begin to end.

    Attributes:
        over: Whether it has ended, or its executive has.
        summary: Its entry in summary.json; empty without an end.
        doing: The sentence of the latest event other than an observation.
        result: The latest result of a tool.
        is_joined: Whether it was already active when it was first seen, so that its earlier
            events are missing.
    """

    text: str
    began: float
    ended: float
    task_id: str = ''
    outcome: str = UNFINISHED
    answer: str = ''
    over: bool = False
    summary: Mapping[str, Any] = field(default_factory=dict)
    doing: str = ''
    result: Mapping[str, Any] = field(default_factory=dict)
    rows: list[ToolStep | Remark] = field(default_factory=list)
    is_joined: bool = False

    @property
    def has_ended(self) -> bool:
        """Whether the end of the goal was reported, not only that of its executive."""
        return self.outcome != UNFINISHED or bool(self.summary)

    @property
    def end(self) -> tuple[bool, str, str]:
        """What events of other goals, and of other runs, may change."""
        return self.over, self.outcome, self.answer

    @property
    def steps(self) -> Sequence[ToolStep]:
        """The requested tools."""
        return [row for row in self.rows if isinstance(row, ToolStep)]

    @property
    def settled_rows(self) -> int:
        """The number of rows before the first step that is open, or would be if it is reopened."""
        if self.has_ended:
            return len(self.rows)
        open_rows = (
            number
            for number, row in enumerate(self.rows)
            if isinstance(row, ToolStep) and (row.is_open or row.result == NO_RESULT)
        )
        return next(open_rows, len(self.rows))

    @property
    def is_trivial(self) -> bool:
        """Whether it was short and successful, without motion, refusal or picture."""
        distance = self.summary.get('distance_m')
        has_moved = isinstance(distance, (int, float)) and abs(distance) >= 0.1
        eventful = any(step.score is not None or step.verdict == 'refused' for step in self.steps)
        short = self.outcome in ('reached', 'answered') and self.ended - self.began < SHORT_S
        return self.over and short and not has_moved and not eventful

    def covers(self, ts: float) -> bool:
        """Return whether a time is within this goal."""
        return self.began <= ts <= self.ended


NO_END = 'The executive ended, or fell silent, while it pursued this goal.'
NO_RESULT = 'it is not known how this ended'  # of a call
MAX_GOALS = 200
MAX_ENDS = 200  # more than an executive stores


def read_goals(runs: Iterable[Iterable[TraceEvent]]) -> list[GoalStory]:
    """Return the goals in the traces of runs, in the order of their beginnings."""
    story = GoalStories()
    for run in runs:
        story.begin_run()
        for event in run:
            story.apply(event)
    return story.goals


def is_requested_end(event: TraceEvent) -> bool:
    """Return whether an event is a requested end of a goal or of its tool, which is no error.

    Ends by SAFE or by the adapter are errors.
    """
    data = event.data or {}
    ended = data.get('goal_ended')
    if isinstance(ended, dict):
        return ended.get('outcome') == 'interrupted'
    return event.kind == 'ERROR' and data.get('error_code') == CallError.CANCELLED.value


class GoalStories:
    """The goals of a trace, by event in their order.

    A goal is identified by its task id over all runs. The loss of an executive says nothing final
    about its goals, and may be received late: the next event of its run, or a state with the goal
    in it, reopens the goal.

    Attributes:
        goals: In the order of their beginnings.
        current: The active goal.
        between: Events outside of any goal.
        number: Of the latest event; -1 before the first.
    """

    def __init__(self) -> None:
        self.goals: list[GoalStory] = []
        self.number = -1
        self.between: list[Remark] = []
        self._by_task: dict[str, GoalStory] = {}
        self._without_end: list[GoalStory] = []  # and some that have ended since
        self.current: GoalStory | None = None
        self._run = ''  # of the latest event
        self._lost = False  # whether the executive of that run was reported as lost
        self._is_run_known = True  # whether an event came since that loss
        self._resumed: GoalStory | None = None  # the active one of a state since then
        self._ends: dict[str, PublishedGoalEnd] = {}  # by task id, as stored by the executive

    def continued(self) -> GoalStories:
        """Return a fold that continues with the latest goals, without their rows."""
        stories = GoalStories()
        for goal in self.goals[-MAX_GOALS:]:
            copy = stories._by_task[goal.task_id] = replace(goal, rows=[])
            stories.goals.append(copy)
            stories._without_end.append(copy)
            if goal is self.current:
                stories.current = copy
            if goal is self._resumed:
                stories._resumed = copy
        stories._run, stories._lost, stories._ends = self._run, self._lost, self._ends
        stories._is_run_known = self._is_run_known
        return stories

    def begin_run(self) -> None:
        """Begins a run of the executive; the active goal ends unless the run resumes it."""
        self.mark_executive_lost()
        self.current = None
        self._lost = False

    def mark_executive_lost(self) -> None:
        """Closes the open goals: the executive is lost."""
        for goal in self.goals:
            if not goal.over:
                goal.answer = NO_END
                _close(goal)
            self._apply_stored_end(goal)
        self._lost, self._is_run_known, self._resumed = True, False, None

    def add_stored_end(self, end: PublishedGoalEnd) -> bool:
        """Adds an end that the executive stores; returns whether it changes a goal.

        A goal without an end may have been resumed and have ended before this client received
        anything of the new run. All other goals have their end in the trace.
        """
        self._ends[end.task_id] = end
        while len(self._ends) > MAX_ENDS:
            del self._ends[next(iter(self._ends))]
        goal = self._by_task.get(end.task_id)
        return goal is not None and self._apply_stored_end(goal)

    def _apply_stored_end(self, goal: GoalStory) -> bool:
        end = self._ends.get(goal.task_id)
        if end is None or not goal.over or goal.has_ended:
            return False
        goal.outcome, goal.answer, goal.summary = end.outcome, end.answer, end.summary
        return True

    def apply_tasks(self, tasks: Iterable[Task], active: str | None, ts: float) -> list[GoalStory]:
        """Applies the open goals of a state; returns those that changed.

        Args:
            tasks: The goals in the queue.
            active: The id of the active one.
            ts: ROS time of the state in s.
        """
        changed = []
        self._resumed = None
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
                self._resumed = None if self._is_run_known else goal
        self._lost = False
        return changed

    def apply(self, event: TraceEvent) -> GoalStory | None:
        """Applies an event; returns the goal that it belongs to, if any."""
        self.number += 1
        data = event.data or {}
        self._apply_run(event)
        ended = data.get('goal_ended')
        if 'lives' in data:
            self._apply_missing_ends(data.get('ended'))
            return self._resume(event, data.get('goes_on'))
        if isinstance(ended, dict):
            return self._end(event, ended, self._ended_goal(event, data, ended))
        if 'task_id' in data and event.kind == 'OBSERVE' and 'waits_for' not in data:
            return self._begin(event, str(data['task_id']))
        if self.current is None:
            self.between.append(remark_of(event, self.number))
            return None
        self._continue(self.current, event)
        return self.current

    def without_end(self) -> Sequence[GoalStory]:
        """Return the goals whose end was not reported: no event turns any other but its own."""
        self._without_end = [goal for goal in self._without_end if not goal.has_ended]
        return self._without_end

    def find(self, task_id: str) -> GoalStory | None:
        """Return the latest goal of an id."""
        return self._by_task.get(task_id)

    def _continue(self, goal: GoalStory, event: TraceEvent) -> None:
        goal.ended = max(goal.ended, event.ts)  # the clock may have been set back
        add_to_rows(goal.rows, event, self.number)
        if event.kind != 'OBSERVE':
            goal.doing = describe_event(event).text
        result = (event.data or {}).get('result')
        if event.kind == 'RESULT' and isinstance(result, dict):
            goal.result = result

    def _apply_run(self, event: TraceEvent) -> None:
        """Marks the executive of an event as present.

        One of another run has no active goal, unless a state named one after the loss of the run
        before: its first events may have been missed.
        """
        run = event.event_id.rpartition('-')[0]
        if self._run and run != self._run:
            resumed = None if 'lives' in (event.data or {}) else self._resumed
            self.mark_executive_lost()
            self.current = resumed
        if self._lost and self.current is not None:
            _reopen(self.current)
        self._run, self._lost, self._is_run_known, self._resumed = run, False, True, None

    def _resume(self, event: TraceEvent, goes_on: Any) -> GoalStory | None:
        """Resumes the open goal of the previous run, perhaps from another run folder."""
        if not isinstance(goes_on, dict):
            self.between.append(remark_of(event, self.number))
            return None
        task_id, text = str(goes_on.get('task_id')), str(goes_on.get('goal'))
        goal = self._by_task.get(task_id) or self._new(task_id, text, event.ts)
        _reopen(goal)
        goal.rows.append(remark_of(event, self.number))
        self.current = goal
        return goal

    def _apply_missing_ends(self, ended: Any) -> None:
        """Applies ends of goals that the previous run was killed too early to record."""
        for end in ended if isinstance(ended, list) else []:
            goal = self._by_task.get(str(end.get('task_id'))) if isinstance(end, dict) else None
            if goal is not None and not goal.has_ended:
                goal.outcome = str(end.get('outcome', UNFINISHED))
                goal.answer = str(end.get('answer', ''))
                _close(goal)

    def _new(self, task_id: str, text: str, ts: float) -> GoalStory:
        goal = self._by_task[task_id] = GoalStory(text, ts, ts, task_id=task_id)
        self.goals.append(goal)
        self._without_end.append(goal)
        return goal

    def _ended_goal(
        self, event: TraceEvent, data: Mapping[str, Any], summary: Mapping[str, Any]
    ) -> GoalStory | None:
        """Return the goal of an end; a new one if its beginning was not seen."""
        task_id, text = data.get('task_id'), summary.get('goal')
        if not isinstance(task_id, str):
            return self.current
        goal = self._by_task.get(task_id)
        if goal is None and isinstance(text, str):
            goal = self._new(task_id, text, event.ts)
        return goal or self.current

    def _begin(self, event: TraceEvent, task_id: str) -> GoalStory:
        goal = self._by_task.get(task_id)
        text = event.message.partition(': ')[2] or event.message
        if goal is None or goal.has_ended:
            goal = self._new(task_id, text, event.ts)
        elif goal.rows:
            _reopen(goal)
            goal.rows.append(remark_of(event, self.number))
        else:  # a state had the goal before this event
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
        goal.ended = max(goal.ended, event.ts)
        _close(goal)
        goal.summary = summary
        goal.outcome = str(summary.get('outcome', UNFINISHED))
        goal.answer = str(summary.get('answer', ''))
        _withdraw_requests(goal.rows)
        last = goal.rows[-1] if goal.rows else None
        if isinstance(last, Remark) and last.text == goal.answer:
            goal.rows.pop()  # the model's message with the answer
        if goal is self.current:
            self.current = None
        return goal


def _reopen(goal: GoalStory) -> None:
    """Reopens a goal that is still, or again, active."""
    if goal.over and not goal.has_ended:
        goal.answer, goal.over = '', False
        for step in goal.steps:
            if step.result == NO_RESULT:
                step.ended, step.early, step.result = None, False, ''


def _close(goal: GoalStory) -> None:
    """Closes a goal and each running call in it."""
    goal.over = True
    for step in goal.steps:
        if step.began is not None and step.ended is None:
            step.ended, step.early, step.result = goal.ended, True, NO_RESULT


def _withdraw_requests(rows: Iterable[ToolStep | Remark]) -> None:
    """Withdraws the open approval requests of an ended goal."""
    for row in rows:
        if isinstance(row, ToolStep) and row.verdict == 'asked' and row.began is None:
            answered = row.approval is not None and row.approval.action
            row.verdict = row.verdict if answered else 'withdrawn'
