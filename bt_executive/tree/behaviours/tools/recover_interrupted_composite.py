"""Finds out what became of the members of a composite that were under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bt_executive.core.call_table import ServerCall, is_of
from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import CallResult
from bt_executive.tree.composite_progress import (
    BegunMember,
    CompositeProgress,
    digest_of,
    ending_of,
    is_within,
    part_at,
    rest_in_words,
    with_all_ends,
)
from bt_executive.tree.composite_progress_in_round import Members
from bt_executive.tree.confirm_and_note_tool_results import NOT_SHOWN, as_shown
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.persistent_state import Recovery
from rover_common.config.settings.composites import Plan
from rover_common.dataclass_replace import replace

# Returns the outcome of a call, by its server or its postcondition; None: it may show later.
Outcome = Callable[[Tool, ServerCall | None], CallResult | None]


def lost_result(reason: str, data: Mapping[str, Any]) -> CallResult:
    """Return the result of a call whose outcome cannot be found; `reason`: what is known."""
    failed = ToolResult(ok=False, error_reason=reason, data=data)
    return CallResult(failed, CallError.RESTARTED.value)


@dataclass(frozen=True)
class Continuation:
    """A composite that has not ended.

    Attributes:
        summary: What was done, and what is next.
        composites: Its progress, see `Round`.
    """

    summary: str
    composites: Mapping[str, CompositeProgress]


class RecoverMembers:
    """Finds the outcome of each interrupted member of a composite.

    Members that were not called yet are started again, and so are those with an unknown outcome
    that may be called twice. An unknown outcome of any other member ends the composite.
    """

    def __init__(self, context: ToolAccess, recovery: Recovery, outcome: Outcome) -> None:
        self._context, self._recovery, self._outcome = context, recovery, outcome
        self._cut: set[tuple[str, str]] = set()  # `timeout`s: scope and place
        self._waits = self._late = False
        self._unknown: list[str] = []

    def cut_short(self, waited_s: float) -> None:
        """Cancels the calls whose `timeout` expires during the wait for their final response."""
        context = self._context
        patience = context.config.executive.sessions.cancel_timeout_s
        for scope, place in self._over(waited_s):
            begun = context.composites[scope].begun
            calls = [each.call_id for at, each in begun.items() if is_within(at, place)]
            for call in context.calls.running():
                if any(is_of(call.call_id, each) for each in calls):
                    context.calls.cancel(call.server_call_id, context.now, patience)
                    self._cut.add((scope, place))

    def find_outcome(
        self, tool: Tool, waited_s: float, late: bool
    ) -> CallResult | Continuation | None:
        """Returns the outcome of the composite; None: it may show later.

        `late`: the time for that is over.
        """
        self._waits, self._late, self._unknown = False, late, []
        plans = {scope: self._plan(tool, scope) for scope in self._context.composites}
        for scope, plan in plans.items():
            if self._context.composites[scope].plan not in ('', plan and digest_of(plan)):
                self._unknown.append('its plan is another one now')
        recovery = self._recovery
        if recovery.began and recovery.calls and not plans:  # by an earlier version
            self._unknown.append('what it has done was not kept')
        if not self._unknown:
            for scope, place in self._cut:
                self._time_out(tool, scope, place)
            self._settle('')
        if self._unknown or self._waits:
            return self._lost() if self._unknown else None
        for scope, place in [*self._over(waited_s)]:
            self._time_out(tool, scope, place)
        return self._whole('', tool) or self._continue(tool, waited_s)

    def _continue(self, tool: Tool, waited_s: float) -> Continuation:
        """Starts again what has not ended; an approval counted for the previous run only."""
        composites = {
            scope: replace(
                run,
                moved=False,
                begun={},
                left_s={place: left - waited_s for place, left in run.left_s.items()},
            )
            for scope, run in self._context.composites.items()
        }
        progress, plan = self._members('').progress, tool.skill.plan
        return Continuation(rest_in_words(plan, progress) if plan else '', composites)

    def _members(self, scope: str) -> Members:
        return Members(self._context, lambda: scope)

    def _plan(self, tool: Tool, scope: str) -> Plan | None:
        """Returns the plan of the composite with this scope."""
        plan = tool.skill.plan
        for place in scope.split('/')[:-1]:
            inner = self._context.registry.get(part_at(plan, place).tool) if plan else None
            plan = inner.skill.plan if inner else None
        return plan

    def _over(self, waited_s: float) -> Iterator[tuple[str, str]]:
        """The `timeout`s whose time is over by now."""
        for scope, run in self._context.composites.items():
            yield from ((scope, place) for place, left in run.left_s.items() if left <= waited_s)

    def _time_out(self, tool: Tool, scope: str, place: str) -> None:
        plan, members = self._plan(tool, scope), self._members(scope)
        if plan is None or place not in members.progress.left_s:
            return  # it has ended with another one
        reason = f'Not done within {part_at(plan, place).seconds:g} s'
        members.refuse(CallError.TIMED_OUT.value, reason)
        members.end(place, ok=False)

    def _settle(self, scope: str) -> None:
        """Enters what is known of the members of one composite."""
        members = self._members(scope)
        for place, member in members.progress.begun.items():
            of = self._context.registry.get(member.tool)
            if of is None:
                self._unknown.append(f'there is no tool {member.tool} any more')
            elif of.skill.plan is None:
                self._enter(members, place, of, member, self._found(of, member))
            else:
                inner = f'{scope}{place}/'
                self._settle(inner)
                self._enter(members, place, of, member, self._whole(inner, of))

    def _enter(
        self,
        members: Members,
        place: str,
        tool: Tool,
        member: BegunMember,
        found: CallResult | None,
    ) -> None:
        """Enters how a member has ended, if it has."""
        if found is None:
            return
        if found.code == CallError.RESTARTED.value:
            self._unknown.append(f'{tool.name}: {found.reason}')
            return
        result, doubt = found.result, ''
        if result.ok:
            result, doubt = as_shown(self._context, tool, member.arguments, result)
        if doubt and not self._late:
            self._waits = True
            members.note(place, called=True, result=result)
        elif result.ok and not doubt:
            members.done(place, tool.name, result)
        else:
            reason = NOT_SHOWN.format(doubt=doubt) if doubt else found.reason
            members.fail(place, tool, found.code or CallError.FAILED.value, reason)

    def _found(self, tool: Tool, member: BegunMember) -> CallResult | None:
        """What became of a call; None: nothing yet, or it was not called."""
        if member.result is not None:
            return CallResult(member.result)
        call = self._call(tool, member)
        if call is None and not member.called:
            return None
        found = self._outcome(tool, call)
        if found is None:
            self._waits = True
        elif found.code == CallError.RESTARTED.value and _may_begin_anew(tool):
            return None
        return found

    def _call(self, tool: Tool, member: BegunMember) -> ServerCall | None:
        """The call to the member's own server, in this run or before."""
        for call in self._recovery.calls:
            is_own = tool.endpoint is not None and call.label == tool.endpoint.name
            if is_own and call.call_id == member.call_id:
                return self._context.calls.get(call.server_call_id) or call
        return None

    def _whole(self, scope: str, tool: Tool) -> CallResult | None:
        """What a composite has come to; None: it has not ended."""
        members, plan = self._members(scope), tool.skill.plan
        if plan is None or self._waits or self._unknown:
            return None
        members.progress = progress = with_all_ends(plan, members.progress)
        over = ending_of(plan, progress.ended)
        if over is None:
            return None
        code = '' if over else progress.failed[0] or CallError.FAILED.value
        return CallResult(progress.result() if over else progress.failure(), code)

    def _lost(self) -> CallResult:
        """Says how each member has ended. What was not called is not called now."""
        progress = self._members('').progress
        reason = ', '.join((*(f'{tool}: done' for tool in progress.done), *self._unknown))
        return lost_result(reason, {'done': list(progress.done)})


def _may_begin_anew(tool: Tool) -> bool:
    """Whether a call more changes nothing: it only reads, or is as if it was done once."""
    return tool.skill.reads_only or tool.skill.idempotent
