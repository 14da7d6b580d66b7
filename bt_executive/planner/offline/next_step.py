"""The next step for a goal, from what has come of the steps so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.planner.offline import reply_sentences
from bt_executive.planner.offline.answer_text import reply
from bt_executive.planner.offline.decided_step import Act, Decision, GiveUp, Say
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.picture_search import LOOK, scores, seek
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.possible_goals import examples, is_asked_for, nearest
from bt_executive.planner.offline.refusal_remedy import mend_for
from bt_executive.planner.offline.transcript import PastStep, Transcript

MOST_TRIES = 3  # of a command that was refused and mended


def decide(transcript: Transcript, tools: Tools, no_tool: tuple[str, ...] = ()) -> Decision:
    """Return the next step for the goal of a conversation; the same input gives the same one.

    Args:
        transcript: The goal, and what has come of it so far.
        tools: Those that are offered.
        no_tool: Examples of what none of them covers.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    goal, steps = transcript.goal, transcript.steps
    if is_asked_for(goal):
        return Say(reply_sentences.can_do(goal, examples(goal, tools, no_tool)))
    plan = make_plan(goal, tools, no_tool)
    if isinstance(plan, str):
        return GiveUp(reply_sentences.declined(goal, plan, nearest(goal, tools, no_tool)))
    done = _done(plan, steps)
    told = [_told(task, steps[at], tools) for task, at in zip(plan, done, strict=False)]
    if None not in told and len(done) == len(plan):
        if len(plan) == 1 and steps[done[0]].data.get('answer') == told[0]:
            return Say(str(told[0]))  # it is an answer already
        return Say(
            reply_sentences.answer(goal, [each for each in told if each], _good(plan, done, steps))
        )
    if None in told:
        step = steps[done[told.index(None)]]
        decision: Decision = GiveUp(f'the result of {step.tool} does not say that')
    else:
        since = steps[done[-1] + 1 :] if done else steps
        decision = _next(plan[len(done)], since, transcript, tools)
    if isinstance(decision, GiveUp):
        return GiveUp(
            reply_sentences.gave_up(goal, decision.reason, [each for each in told if each])
        )
    return decision


def _done(plan: Sequence[Task], steps: Sequence[PastStep]) -> list[int]:
    """Which step confirmed each task, for as many tasks as are done in their order."""
    done: list[int] = []
    for at, step in enumerate(steps):
        if len(done) < len(plan) and step.ok and _is_for(step, plan[len(done)]):
            done.append(at)
    return done


def _is_for(step: PastStep, task: Task) -> bool:
    if isinstance(task, Search):
        return step.tool == LOOK and step.data.get('is_good') is True
    return step.tool == task.tool and dict(step.arguments) == task.arguments


def _told(task: Task, step: PastStep, tools: Tools) -> str | None:
    """What came of a task, which the operator may have changed: then what was really run."""
    if isinstance(task, PlannedCommand) and step.edited_to not in (None, task.arguments):
        told = reply(replace(task, arguments=dict(step.edited_to or {})), step)
        return told and f'{told}, as the operator changed it'
    return reply(task, step, tools[step.tool].topics)


def _good(
    plan: Sequence[Task], done: Sequence[int], steps: Sequence[PastStep]
) -> tuple[float, int] | None:
    """Score and number of the good picture, if one was sought."""
    if Search() not in plan:
        return None
    seen = scores(steps[: done[plan.index(Search())] + 1])
    return seen[-1], len(seen)


def _next(task: Task, since: Sequence[PastStep], transcript: Transcript, tools: Tools) -> Decision:
    if isinstance(task, Search):
        return seek(since, tools)
    if not transcript.whole:  # what was done might be done again
        return GiveUp('too many steps were taken to remember them all')
    return _carry_out(task, since, tools)


def _carry_out(
    task: PlannedCommand | Question, since: Sequence[PastStep], tools: Tools
) -> Decision:
    tried = [step for step in since if step.failed and step.tool == task.tool]
    mends = {mend_for(step.reason, tools) for step in tried}
    act = Act(task.tool, f'The goal asks for {task.tool}.', task.arguments)
    last = since[-1] if since else None
    if last is None or last.ok or last.tool not in {task.tool, *mends}:
        return act
    if last.interrupted:
        if task.measured and last.tool == task.tool:
            return GiveUp(f'{task.tool} was interrupted, and how much of it is done is not known')
        return act
    mend = mend_for(last.reason, tools)
    if last.tool == task.tool and mend and len(tried) < MOST_TRIES:
        return Act(mend, f'{task.tool} needs {mend} first.')
    return GiveUp(f'{last.tool} did not work: “{last.reason:.300}”')
