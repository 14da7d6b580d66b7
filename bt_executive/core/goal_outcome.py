"""The outcome of a goal, by the results of its tools and the evidence for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Literal, TypeAlias

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.value_formatting import result_sentence

# reached: measured. answered: the planner answered, and no tool acted. claimed: the planner says
# that the goal is done, and no measurement shows it.
Outcome: TypeAlias = Literal['reached', 'answered', 'claimed', 'gave_up', 'interrupted', 'failed']

# Of a tool that a pause, a rest or a better goal ended; the model reads this text.
INTERRUPTED = ToolResult(ok=False, error_reason='Interrupted before it was done')

# Keys in the data of a result that the model gets:
EDITED_TO = 'arguments_edited_to'
NOT_CONFIRMED = 'not_confirmed'  # why no measurement confirms a success that the server reported
RAN_S = 'ran_s'  # for how long a tool ran before a guard stopped it

FINISH = 'finish'  # the tool by which the planner ends a goal as done


class Role(Enum):
    """The meaning of a tool's result."""

    ACT = auto()  # the tool changes something, or takes a picture
    READ = auto()  # the tool changes nothing, and its result is the answer
    CONTROL = auto()  # the tool speaks, waits or ends the goal


@dataclass(frozen=True)
class Evidence:
    """The evidence by which the end of a goal is judged.

    Attributes:
        history: The proposed tools with their results, in order, refused ones included.
        role: Returns the role of a tool by its name; `Role.ACT` for a tool that does not exist.
        not_met: The conditions of `done_when` that were not measured; None: it has none.
        missing_acts: What its text requests and no confirmed act has done, as clauses.
    """

    history: Sequence[tuple[Proposal, ToolResult]]
    role: Callable[[str], Role]
    exists: Callable[[str], bool]  # returns whether there is a tool of that name
    not_met: Sequence[str] | None = None
    asks: bool = False  # the goal is a question
    missing_acts: Sequence[str] = ()


@dataclass(frozen=True)
class Ending:
    """How a goal ended. `missing`: of a claim, what was not measured, as clauses."""

    outcome: Outcome
    answer: str
    missing: str = ''


def not_confirmed(result: ToolResult, why: str) -> ToolResult:
    """Return a successful result with the reason why no measurement confirms it."""
    return replace(result, data={**result.data, NOT_CONFIRMED: why})


def is_confirmed(result: ToolResult) -> bool:
    """Return whether a result is a success that no measurement contradicts."""
    return result.ok and not _why_not_confirmed(result)


def is_interrupted(result: ToolResult) -> bool:
    """Return whether it is `INTERRUPTED`; that of a composite goes on with what was done."""
    return not result.ok and result.error_reason.startswith(INTERRUPTED.error_reason)


def end_of_tool(result: ToolResult, not_met: Sequence[str] | None = None) -> Ending:
    """Return the end of a goal that is a single tool. See `Evidence.not_met`."""
    sentence = result_sentence(result)
    if not result.ok:
        return Ending('failed', sentence)
    missing = [*filter(None, [_why_not_confirmed(result)]), *(not_met or ())]
    return _claimed(sentence, missing) if missing else Ending('reached', sentence)


def end_of_goal(answer: str, finished: bool, evidence: Evidence) -> Ending:
    """Return the end of a goal for which the planner has given its answer.

    The answer itself is no evidence. The latest call of each acting tool must be confirmed, and
    together they must have done what the goal's text requests. `finished`: the planner ended the
    goal as done, by its tool `finish`.
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
    others = [result for proposal, result in evidence.history if proposal.tool != FINISH]
    if others and not any(result.ok for result in others):
        return _claimed(answer, [result_sentence(others[-1])])
    if finished and not others and not evidence.asks:
        return _claimed(answer, ['no tool was asked for'])
    return Ending('answered', answer)


def succeeded(outcome: str, asks: bool) -> bool:
    """Return whether a goal succeeded. An answer is enough only for a question."""
    return outcome == 'reached' or (outcome == 'answered' and asks)


def _latest_acts(evidence: Evidence) -> dict[str, str]:
    """Return acting tool → why its latest call is not confirmed; empty: it is.

    A tool that does not exist stands for another one: a later confirmed act replaces it.
    """
    acts: dict[str, str] = {}
    for proposal, result in evidence.history:
        if evidence.role(proposal.tool) is not Role.ACT:
            continue
        why = _why_not_confirmed(result) if result.ok else result_sentence(result)
        if not why:
            acts = {tool: fault for tool, fault in acts.items() if evidence.exists(tool)}
        acts[proposal.tool] = why
    return acts


def _why_not_confirmed(result: ToolResult) -> str:
    why = result.data.get(NOT_CONFIRMED)
    return '' if why is None else str(why)


def _claimed(answer: str, missing: Sequence[str]) -> Ending:
    clauses = '; '.join(each.rstrip('.') for each in missing)
    return Ending('claimed', f'{answer} (Not shown by any measurement: {clauses}.)', clauses)
