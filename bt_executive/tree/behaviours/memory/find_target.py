"""Find out whether the target of a tool is known, before anything acts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.core.built_in_guards import ALWAYS_ASKED
from bt_executive.core.error_codes import CallError
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.tools.satisfy_precondition import SatisfyPrecondition
from bt_executive.tree.context_roles import ReadAccess, RoundAccess, ToolAccess


class FindTarget(SatisfyPrecondition):
    """Asks the memory; SUCCESS if it knows the target. FAILURE with its reason is the tool's own.

    Args:
        recalls: For each tool whose target the memory gives, the step of it that asks.
    """

    def __init__(self, name: str, context: ToolAccess, recalls: Mapping[str, Tool]) -> None:
        super().__init__(name, context, next(iter(recalls.values())))
        self._rounds: RoundAccess = context
        self._recalls = recalls

    def initialise(self) -> None:
        """Selects the step of the tool that was proposed."""
        super().initialise()
        self.tool = self._recalls[self.context.round.tool]

    def update(self) -> Status:
        """As `SatisfyPrecondition`; what the memory said goes into the round."""
        status = super().update()
        if status is Status.FAILURE:
            read, words = self.read, self.feedback_message
            if read is None:
                words = f'{self.tool.name}: {words.removesuffix("; waiting")}'
            code = read.code if read and read.code else CallError.UNAVAILABLE.value
            self._rounds.fail(code, words, read.result if read else None)
        return status

    def arguments(self) -> Mapping[str, Any]:
        """What is looked for, in the words of the proposal."""
        proposal = self.context.round.proposal
        return {'text': proposal.arguments.get('text', '')} if proposal else {}


def nothing_to_find(facts: ReadAccess, recalls: Mapping[str, Tool]) -> str | None:
    """Return why the memory need not be asked before the tool is checked; None if it must be.

    It must be where a precondition does not hold: whoever made it hold, the planner or the tree,
    would act for a target that may not be known. Else the tool's own first step asks.
    """
    proposal, tool = facts.round.proposal, facts.proposed_tool
    if proposal is None or tool is None or tool.name not in recalls:
        return 'its target needs no memory'
    if tool.refuse_arguments(proposal.arguments) is not None:
        return 'its arguments are refused'
    view = facts.guards.view()
    if not all(each.read(view).allowed for each in ALWAYS_ASKED):
        return 'nothing may run'
    if all(each.read(view).allowed for each in tool.preconditions):
        return 'its first step asks'
    return None
