"""The search for a good picture: take one, sweep, move on, and stop in time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bt_executive.planner.offline.conversation_steps import (
    Act,
    Decision,
    GiveUp,
    PastStep,
    remedies_of,
    remedy_for,
)
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.planned_tasks import LOOK
from rover_common.json_values import finite_number

MOVES = ('move_nudge', 'move_forward')
_SWEEP = '_rotate'  # suffix of the names of tools that turn the view
MOST_MOVES = 10  # spec 2
MOST_FAILURES = 8  # of one tool in a row; with the planner's delays about 24 s
PATIENCE_S = 2.0
LEAST_CHANGE = 5e-4  # of the score
LEAST_MOVE_M = 0.3  # of a drive that has failed; less is no other view


def next_search_step(steps: Sequence[PastStep], tools: Tools) -> Decision:
    """Return the next step of the search; the last picture, if there is one, was not good."""
    last = steps[-1] if steps else None
    if last is not None and last.failed and (decision := _after_failure(last, steps, tools)):
        return decision
    if _changed(steps):
        first = not any(step.ok and step.tool == LOOK for step in steps)
        why = 'I look first to understand the situation.' if first else 'I look again.'
        return _prepared(Act(LOOK, why), steps, tools)
    sweep = next((name for name in tools if name.endswith(_SWEEP)), '')
    if sweep and not tools[sweep].required and not _swept(steps):
        clause = sweep.removesuffix(_SWEEP).replace('_', ' ')
        return Act(sweep, f'It is too dark; rotating the {clause} is the cheapest other view.')
    move = next((tool for tool in MOVES if tool in tools), None)
    if move is None:
        return GiveUp(_report('no tool for moving is offered', steps))
    if reason := _why_no_further(steps):
        return GiveUp(_report(reason, steps))
    return _prepared(Act(move, 'I move on because a new place may be brighter.'), steps, tools)


def scores(steps: Sequence[PastStep]) -> list[float]:
    """Return the score of each picture; without a number it is 0."""
    values = (step.data.get('score') for step in steps if step.ok and step.tool == LOOK)
    return [finite_number(each) or 0.0 for each in values]


def _after_failure(last: PastStep, steps: Sequence[PastStep], tools: Tools) -> Decision | None:
    """Return the step after a failed one; None: the search goes on without it."""
    if last.tool.endswith(_SWEEP) or last.tool == 'wait':  # the search goes on without these
        return None
    count = _failures(last.tool, steps)
    if count < MOST_FAILURES and (remedy := remedy_for(last.reason, tools)):
        return Act(remedy, f'{last.tool} needs {remedy} first.')
    if 'refused_by' in last.data or count >= MOST_FAILURES:
        times = f' {count} times in a row' if count >= MOST_FAILURES else ''
        return GiveUp(_report(f'{last.tool} failed{times}: “{last.reason:.200}”', steps))
    if 'wait' in tools and not _moved(last):
        why = f'{last.tool} failed ({last.reason:.80}). I wait a moment and try again.'
        return Act('wait', why, {'seconds': PATIENCE_S})
    return None


def _prepared(act: Act, steps: Sequence[PastStep], tools: Tools) -> Act:
    """Return a step, or the remedy that an earlier refusal of its tool asked for."""
    remedies = remedies_of(steps, tools)
    first = remedies.get(act.tool)
    done = [step.tool for step in steps if step.ok and step.tool in remedies.values()]
    if first is None or done[-1:] == [first] or _may_be_done(first, act.tool, steps):
        return act
    return Act(first, f'{act.tool} needs {first} first.')


def _may_be_done(remedy: str, tool: str, steps: Sequence[PastStep]) -> bool:
    """Return whether a remedy has just failed once: the guard of its tool says what came of it.

    A command whose answer is late may have been carried out.
    """
    tried = [step for step in steps if step.tool in (remedy, tool)]
    done = [at for at, step in enumerate(tried) if step.tool == tool and step.ok]
    failures = [step for step in tried[done[-1] if done else 0 :] if step.tool == remedy]
    return len(failures) == 1 and failures[0].failed and tried[-1] is failures[0]


def _changed(steps: Sequence[PastStep]) -> bool:
    """Return whether a new picture could differ from the last one."""
    for step in reversed(steps):
        if _moved(step) or (step.ok and (step.tool == LOOK or step.tool.endswith(_SWEEP))):
            return step.tool != LOOK
    return True


def _moved(step: PastStep) -> bool:
    """Return whether a drive has brought the robot elsewhere, also if it has failed then."""
    driven_m = finite_number(step.data.get('driven_m')) or 0.0
    return step.tool in MOVES and (step.ok or driven_m >= LEAST_MOVE_M)


def _swept(steps: Sequence[PastStep]) -> bool:
    sweeps = [step for step in steps if step.tool.endswith(_SWEEP) and (step.ok or step.failed)]
    return any(step.ok for step in sweeps) or len(sweeps) > 1


def _why_no_further(steps: Sequence[PastStep]) -> str:
    moves = sum(map(_moved, steps))
    if moves >= MOST_MOVES:
        return f'{moves} drives were not enough'
    last = scores(steps)[-3:]
    falls = [before - after > LEAST_CHANGE for before, after in pairwise(last)]
    return 'driving ahead makes it darker' if falls == [True, True] else ''


def _failures(tool: str, steps: Sequence[PastStep]) -> int:
    """Return the number of failures of a tool since its last success."""
    count = 0
    for step in steps:
        if step.tool == tool:
            count = 0 if step.ok else count + step.failed
    return count


def _report(reason: str, steps: Sequence[PastStep]) -> str:
    values = scores(steps)
    if not values:
        return f'{reason}; no picture was taken'
    moves = sum(map(_moved, steps))
    return (
        f'{reason}; score {values[0]:.3f} at first, {values[-1]:.3f} at last, '
        f'in {len(values)} pictures and {moves} drives'
    )
