"""The trace as a story: goals, and in each the tools that were asked for, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.report.model import UNFINISHED, GoalReport, RecordedStep, Recording, Remark
from rover_common.trace_event import TraceEvent

TONES = {
    'OBSERVE': 'sees',
    'HYPOTHESIZE': 'thinks',
    'DECIDE': 'decides',
    'ACT': 'acts',
    'RESULT': 'result',
    'ERROR': 'error',
}
CUT_SHORT = 'The executive ended while it pursued this goal.'


def tell_goals(recording: Recording) -> tuple[list[GoalReport], list[Remark]]:
    """The goals in the order of their beginnings, and what happened outside of any."""
    story = _Story()
    for life in recording.lives:
        story.begin_life()
        for event in life:
            story.take(event)
    return story.goals, story.between


class _Story:
    def __init__(self) -> None:
        self.goals: list[GoalReport] = []
        self._number = -1  # of the event in the trace
        self.between: list[Remark] = []
        self._by_task: dict[str, GoalReport] = {}
        self._earlier: dict[str, GoalReport] = {}  # of the life before
        self._current: GoalReport | None = None

    def begin_life(self) -> None:
        """The executive was started; what it pursued before had no end."""
        if self._current is not None:
            self._current.answer = CUT_SHORT
        self._current = None
        self._earlier, self._by_task = self._by_task, {}

    def take(self, event: TraceEvent) -> None:
        self._number += 1
        data = event.data or {}
        ended = data.get('goal_ended')
        if 'lives' in data:
            self._go_on(event, data.get('goes_on'))
        elif isinstance(ended, dict):
            self._end(event, ended, self._ended_goal(event, data, ended))
        elif 'task_id' in data and event.kind == 'OBSERVE':
            self._begin(event, str(data['task_id']))
        elif self._current is None:
            self.between.append(_remark(event, self._number))
        else:
            self._current.ended = event.ts
            _add(self._current.rows, event, self._number)

    def _go_on(self, event: TraceEvent, goes_on: Any) -> None:
        """This life takes up what the one before has left, perhaps in another run folder."""
        self._by_task = dict(self._earlier)
        if not isinstance(goes_on, dict):
            self.between.append(_remark(event, self._number))
            return
        task, words = str(goes_on.get('task_id')), str(goes_on.get('goal'))
        goal = self._by_task.get(task)
        if goal is None:
            goal = self._by_task[task] = GoalReport(words, event.ts, event.ts)
            self.goals.append(goal)
        goal.answer = ''
        goal.rows.append(_remark(event, self._number))
        self._current = goal

    def _ended_goal(
        self, event: TraceEvent, data: Mapping[str, Any], summary: Mapping[str, Any]
    ) -> GoalReport | None:
        """The goal that an end is of: one that began, or one that was still waiting."""
        goal = self._by_task.get(str(data.get('task_id')))
        if goal is None and data.get('waited'):
            goal = GoalReport(str(summary.get('goal', '')), event.ts, event.ts)
            self.goals.append(goal)
        return goal or self._current

    def _begin(self, event: TraceEvent, task: str) -> None:
        goal = self._by_task.get(task)
        if goal is None:
            text = event.message.partition(': ')[2] or event.message
            goal = self._by_task[task] = GoalReport(text, event.ts, event.ts)
            self.goals.append(goal)
        else:
            goal.rows.append(_remark(event, self._number))
        self._current = goal

    def _end(self, event: TraceEvent, summary: Mapping[str, Any], goal: GoalReport | None) -> None:
        if goal is None:
            self.between.append(_remark(event, self._number))
            return
        goal.ended = event.ts
        goal.summary = summary
        goal.outcome = str(summary.get('outcome', UNFINISHED))
        goal.answer = str(summary.get('answer', ''))
        last = goal.rows[-1] if goal.rows else None
        if isinstance(last, Remark) and last.text == goal.answer:
            goal.rows.pop()  # the answer, in the model's own words
        if goal is self._current:
            self._current = None


def _add(rows: list[RecordedStep | Remark], event: TraceEvent, number: int) -> None:
    """Puts an event where it belongs: to the step of its tool, or as a row of its own."""
    step = _open_step(rows, event.tool_name)
    if event.kind == 'DECIDE' and event.tool_name and event.ok is not None:
        _decide(rows, step, event, number)
    elif event.kind == 'ACT' and step is not None and step.began is None:
        step.began = event.ts
    elif event.kind in ('RESULT', 'ERROR') and step is not None:
        step.ended, step.ok, step.score = event.ts, event.ok, event.score
        step.result = event.message.removeprefix(f'{step.tool}: ')
    elif event.kind != 'HYPOTHESIZE' or not event.tool_name:  # else the step tells the thought
        rows.append(_remark(event, number))


def _open_step(rows: list[RecordedStep | Remark], tool: str | None) -> RecordedStep | None:
    """The latest step, if it is of this tool and has not ended."""
    latest = next((row for row in reversed(rows) if isinstance(row, RecordedStep)), None)
    open_ = latest is not None and latest.tool == tool and latest.ended is None
    return latest if open_ and latest is not None and latest.verdict != 'refused' else None


def _decide(
    rows: list[RecordedStep | Remark], step: RecordedStep | None, event: TraceEvent, number: int
) -> None:
    data = event.data or {}
    if step is None or 'arguments' in data:  # else it is the last word on a step that was asked
        arguments = data.get('arguments')
        step = RecordedStep(
            number=number,
            asked=event.ts,
            tool=str(event.tool_name),
            by=str(data.get('proposed_by') or ''),
            arguments=arguments if isinstance(arguments, dict) else {},
            thought=str(data.get('thought') or ''),
        )
        rows.append(step)
    step.verdict = 'allowed' if event.ok else 'refused'
    step.reason = '' if event.ok else event.error_reason or event.message
    step.guard = '' if event.ok else str(data.get('guard') or '')


def _remark(event: TraceEvent, number: int) -> Remark:
    reason = event.error_reason
    more = f' ({reason})' if reason and reason not in event.message else ''
    tool = (
        f'{event.tool_name}: ' if event.tool_name and event.tool_name not in event.message else ''
    )
    return Remark(number, event.ts, TONES[event.kind], f'{tool}{event.message}{more}')
