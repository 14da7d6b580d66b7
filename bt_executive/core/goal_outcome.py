"""What a result and the end of a goal mean, in words and as an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal, TypeAlias

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.result_text import result_sentence

# reached: measured. answered: it spoke, and nothing acted. claimed: it says that it is done, and
# the evidence does not show it.
Outcome: TypeAlias = Literal['reached', 'answered', 'claimed', 'gave_up', 'interrupted', 'failed']

# Of a tool that a pause, a rest or a better goal ended; the model hears these very words.
INTERRUPTED = ToolResult(ok=False, error_reason='Interrupted before it was done')

# In the data of a result that the model gets:
EDITED_TO = 'arguments_edited_to'
NOT_CONFIRMED = 'not_confirmed'  # the server said that it is done; why no measurement shows it

FINISH = 'finish'  # the planner's tool that says that the goal is done


class Role(Enum):
    """What a tool's result says of the world."""

    ACT = auto()  # it changes something, or takes a picture
    READ = auto()  # it changes nothing, and its result is the answer
    WORD = auto()  # it speaks, waits or ends the goal


@dataclass(frozen=True)
class Evidence:
    """What there is to judge the end of a goal by.

    Attributes:
        history: The tools that were asked for, in order, refused ones included.
        role: Of the tool of a name; of a tool that does not exist: `Role.ACT`.
        is_known: Whether there is a tool of that name.
        not_met: What `done_when` asks for and was not measured; None: it asks for nothing.
        asks: The goal is a question.
        missing_acts: What its text asks for and no confirmed act has done, as clauses.
    """

    history: Sequence[tuple[Proposal, ToolResult]]
    role: Callable[[str], Role]
    is_known: Callable[[str], bool]
    not_met: Sequence[str] | None = None
    asks: bool = False
    missing_acts: Sequence[str] = ()


@dataclass(frozen=True)
class Ending:
    """How a goal ended. `missing`: what was not measured, as clauses; of a claim only."""

    outcome: Outcome
    answer: str
    missing: str = ''


def not_confirmed(result: ToolResult, why: str) -> ToolResult:
    """Return the result of a server that said yes, with why nothing measured shows it."""
    return replace(result, data={**result.data, NOT_CONFIRMED: why})


def is_confirmed(result: ToolResult) -> bool:
    """Return whether a tool has done its work, and nothing measured speaks against it."""
    return result.ok and not _why_not_confirmed(result)


def end_of_tool(result: ToolResult, not_met: Sequence[str] | None = None) -> Ending:
    """Return how a goal ends that is one tool by hand. See `Evidence.not_met`."""
    words = result_sentence(result)
    if not result.ok:
        return Ending('failed', words)
    missing = [*filter(None, [_why_not_confirmed(result)]), *(not_met or ())]
    return _claimed(words, missing) if missing else Ending('reached', words)


def end_of_goal(answer: str, finished: bool, evidence: Evidence) -> Ending:
    """Return how a goal ends for which the planner has given its answer.

    The planner's word is no evidence. `finished`: by its tool `finish`, which says that the goal
    is done. Of tools that act each must be confirmed, the last time that it was asked for, and
    they must have done what the goal's words ask for.
    """
    if evidence.not_met is not None:
        missing = evidence.not_met
        return _claimed(answer, missing) if missing else Ending('reached', answer)
    acts = _latest_acts(evidence)
    missing = [f'{tool}: {why}' for tool, why in acts.items() if why]
    if missing:
        return _claimed(answer, missing)
    if acts:
        missing = evidence.missing_acts
        return _claimed(answer, missing) if missing else Ending('reached', answer)
    others = [result for asked, result in evidence.history if asked.tool != FINISH]
    if others and not any(result.ok for result in others):
        return _claimed(answer, [result_sentence(others[-1])])
    if finished and not others and not evidence.asks:
        return _claimed(answer, ['no tool was asked for'])
    return Ending('answered', answer)


def succeeded(outcome: str, asks: bool) -> bool:
    """Return whether a goal ended as was wanted. An answer is enough only for a question."""
    return outcome == 'reached' or (outcome == 'answered' and asks)


def _latest_acts(evidence: Evidence) -> dict[str, str]:
    """Return each acting tool with why its latest call is not confirmed; empty: it is.

    A tool that does not exist was meant to be another: a later act that is confirmed is that one.
    """
    acts: dict[str, str] = {}
    for asked, result in evidence.history:
        if evidence.role(asked.tool) is not Role.ACT:
            continue
        why = _why_not_confirmed(result) if result.ok else result_sentence(result)
        if not why:
            acts = {tool: fault for tool, fault in acts.items() if evidence.is_known(tool)}
        acts[asked.tool] = why
    return acts


def _why_not_confirmed(result: ToolResult) -> str:
    why = result.data.get(NOT_CONFIRMED)
    return '' if why is None else str(why)


def _claimed(answer: str, missing: Sequence[str]) -> Ending:
    clauses = '; '.join(each.rstrip('.') for each in missing)
    return Ending('claimed', f'{answer} (Not shown by any measurement: {clauses}.)', clauses)
