"""Finds the target of a tool in the memory before anything acts for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.core.error_codes import CallError
from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.tools.satisfy_precondition import SatisfyPrecondition
from bt_executive.tree.context_roles import ReadAccess, RoundAccess, ToolAccess


class FindTarget(SatisfyPrecondition):
    """Asks the memory; SUCCESS if it finds the target, else FAILURE with its reason.

    Args:
        recalls: Tool whose target the memory finds → its step that asks the memory.
    """

    def __init__(self, name: str, context: ToolAccess, recalls: Mapping[str, Tool]) -> None:
        super().__init__(name, context, next(iter(recalls.values())))
        self._rounds: RoundAccess = context
        self._recalls = recalls

    def initialise(self) -> None:
        """Selects the step of the proposed tool."""
        super().initialise()
        self.tool = self._recalls[self.context.round.tool]

    def update(self) -> Status:
        """As `SatisfyPrecondition`; the result of the memory is put into the round."""
        status = super().update()
        if status is Status.FAILURE:
            read, reason = self.read, self.feedback_message
            if read is None:
                reason = f'{self.tool.name}: {reason.removesuffix("; waiting")}'
            code = read.code if read and read.code else CallError.UNAVAILABLE.value
            self._rounds.fail(code, reason, read.result if read else None)
        return status

    def arguments(self) -> Mapping[str, Any]:
        """Returns the text of the proposal."""
        proposal = self.context.round.proposal
        return {'text': proposal.arguments.get('text', '')} if proposal else {}


def nothing_to_find(context: ReadAccess, recalls: Mapping[str, Tool]) -> str | None:
    """Return why the memory need not be asked before the tool is checked; None: it must be.

    It must be asked if a precondition does not hold: planner or tree would act to satisfy it, for
    a target that may not be known. Otherwise the tool's own first step asks.
    """
    proposal, tool = context.round.proposal, context.proposed_tool
    if proposal is None or tool is None or tool.name not in recalls:
        return 'its target needs no memory'
    if tool.refuse_arguments(proposal.arguments) is not None:
        return 'its arguments are refused'
    view = context.guards.view()
    if not all(each.read(view).allowed for each in ALWAYS_ASKED):
        return 'nothing may run'
    if all(each.read(view).allowed for each in tool.preconditions):
        return 'its first step asks'
    return None
