"""Decides the next step for a goal from the results of the steps so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.planner.offline import reply_text
from bt_executive.planner.offline.conversation_steps import (
    Act,
    Decision,
    FinalAnswer,
    GiveUp,
    PastStep,
    Transcript,
    remedy_for,
)
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.picture_search import next_search_step, scores
from bt_executive.planner.offline.planned_tasks import LOOK, PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.reply_text import (
    asks_for_help,
    describe_result,
    examples,
    nearest,
)

MOST_TRIES = 3  # of a command that was refused and has a remedy


def decide(transcript: Transcript, tools: Tools, no_tool: tuple[str, ...] = ()) -> Decision:
    """Return the next step for the goal of a conversation; it is deterministic.

    `no_tool`: examples of what none of the tools covers.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    goal, steps = transcript.goal, transcript.steps
    if asks_for_help(goal):
        return FinalAnswer(reply_text.can_do(goal, examples(goal, tools, no_tool)))
    plan = make_plan(goal, tools, no_tool)
    if isinstance(plan, str):
        return GiveUp(reply_text.declined(goal, plan, nearest(goal, tools, no_tool)))
    done = _done(plan, steps)
    results = [_result(task, steps[at], tools) for task, at in zip(plan, done, strict=False)]
    if None not in results and len(done) == len(plan):
        if len(plan) == 1 and steps[done[0]].data.get('answer') == results[0]:
            return FinalAnswer(str(results[0]))  # the result is the answer
        return FinalAnswer(
            reply_text.answer(
                goal, [each for each in results if each], _good_picture(plan, done, steps)
            )
        )
    if None in results:
        step = steps[done[results.index(None)]]
        decision: Decision = GiveUp(f'the result of {step.tool} does not say that')
    else:
        since = steps[done[-1] + 1 :] if done else steps
        decision = _next(plan[len(done)], since, transcript, tools)
    if isinstance(decision, GiveUp):
        return GiveUp(
            reply_text.gave_up(goal, decision.reason, [each for each in results if each])
        )
    return decision


def _done(plan: Sequence[Task], steps: Sequence[PastStep]) -> list[int]:
    """Return the index of the step that confirmed each task, of tasks done in their order."""
    done: list[int] = []
    for at, step in enumerate(steps):
        if len(done) < len(plan) and step.ok and _is_for(step, plan[len(done)]):
            done.append(at)
    return done


def _is_for(step: PastStep, task: Task) -> bool:
    if isinstance(task, Search):
        return step.tool == LOOK and step.data.get('is_good') is True
    return step.tool == task.tool and dict(step.arguments) == task.arguments


def _result(task: Task, step: PastStep, tools: Tools) -> str | None:
    """Return the result of a task, with the arguments that the operator may have changed."""
    if isinstance(task, PlannedCommand) and step.edited_to not in (None, task.arguments):
        text = describe_result(replace(task, arguments=dict(step.edited_to or {})), step)
        return text and f'{text}, as the operator changed it'
    return describe_result(task, step, tools[step.tool].topics)


def _good_picture(
    plan: Sequence[Task], done: Sequence[int], steps: Sequence[PastStep]
) -> tuple[float, int] | None:
    """Return score and number of the good picture of a search; None: there was no search."""
    if Search() not in plan:
        return None
    values = scores(steps[: done[plan.index(Search())] + 1])
    return values[-1], len(values)


def _next(task: Task, since: Sequence[PastStep], transcript: Transcript, tools: Tools) -> Decision:
    if isinstance(task, Search):
        return next_search_step(since, tools)
    if not transcript.whole:  # a task could be repeated
        return GiveUp('too many steps were taken to remember them all')
    return _carry_out(task, since, tools)


def _carry_out(
    task: PlannedCommand | Question, since: Sequence[PastStep], tools: Tools
) -> Decision:
    failures = [step for step in since if step.failed and step.tool == task.tool]
    remedies = {remedy_for(step.reason, tools) for step in failures}
    act = Act(task.tool, f'The goal asks for {task.tool}.', task.arguments)
    last = since[-1] if since else None
    if last is None or last.ok or last.tool not in {task.tool, *remedies}:
        return act
    if task.measured and last.tool == task.tool:
        if last.interrupted:
            return GiveUp(f'{task.tool} was interrupted, and how much of it is done is not known')
        if last.stopped_by_guard:
            return GiveUp(f'{task.tool} was stopped before it was done: “{last.reason:.300}”')
    if last.interrupted:
        return act
    remedy = remedy_for(last.reason, tools)
    if last.tool == task.tool and remedy and len(failures) < MOST_TRIES:
        return Act(remedy, f'{task.tool} needs {remedy} first.')
    return GiveUp(f'{last.tool} did not work: “{last.reason:.300}”')
