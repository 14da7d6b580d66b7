"""The members of a composite tool: their calls, contexts, guards, and progress in the round.

A member calls another tool, under all of that tool's guards. Its context is the executive's, with
a round of its own. So a tool's subtree is the same whether the tool was proposed or is a member:
it reads its proposal and enters its result, its leases and its permit in its own round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import is_of
from bt_executive.core.error_codes import CallError, code_of_refusal, decision_after
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.state import DecisionType
from bt_executive.skills.message_mapping import value_at
from bt_executive.skills.tool_registry import Tool, preconditions_of
from bt_executive.tree.behaviours.base_behaviours import TickedSelector, tick_into
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard
from bt_executive.tree.behaviours.tools.satisfy_precondition import conditions_on
from bt_executive.tree.composite_progress import BegunMember, CompositeProgress, is_within
from bt_executive.tree.confirm_and_note_tool_results import CONFIRM_WAIT_S, NOT_SHOWN, as_shown
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import RoundAccess
from bt_executive.tree.making_guard_views import GuardViews
from bt_executive.tree.planning_round import NO_ROUND, Round
from bt_executive.tree.subtrees_on_demand import OnDemand
from rover_common.config.settings.composites import Plan, reference
from rover_common.dataclass_replace import replace

At = Callable[[], str]  # the place at this moment


class Members:
    """Keeps the progress of a composite in the round of the proposed tool, so that it is stored.

    `scope`: what the places of a composite that is a member itself begin with.
    """

    def __init__(self, context: RoundAccess, scope: At) -> None:
        self._context, self._scope = context, scope

    @property
    def progress(self) -> CompositeProgress:
        """Returns the progress."""
        return self._context.composites.get(self._scope(), CompositeProgress())

    @progress.setter
    def progress(self, changed: CompositeProgress) -> None:
        if changed is not self.progress:
            self._context.composites = {**self._context.composites, self._scope(): changed}

    def ended(self, place: str) -> Status | None:
        """Returns whether a place has succeeded; None: it has not ended."""
        ok = self.progress.ended.get(place)
        return None if ok is None else Status.SUCCESS if ok else Status.FAILURE

    def has_ended_within(self, place: str) -> bool:
        """Returns whether a call at or below a place has ended, perhaps in the previous run."""
        scope, runs = self._scope(), self._context.composites
        inner = (
            key.removeprefix(scope).partition('/')[0]
            for key, run in runs.items()
            if key.startswith(scope) and key != scope and run.ended
        )
        return any(is_within(each, place) for each in (*self.progress.ended, *inner))

    def end(self, place: str, ok: bool) -> None:
        """Notes the end of a place, and removes the progress of composites below it."""
        before, scope = self.progress, self._scope()
        self.progress = after = before.with_end(place, ok)
        inner = tuple(f'{scope}{each}/' for each in before.begun.keys() - after.begun.keys())
        if inner:
            runs = self._context.composites.items()
            self._context.composites = {key: run for key, run in runs if not key.startswith(inner)}

    def done(self, place: str, tool: str, result: ToolResult) -> None:
        """Notes the success of a member."""
        before = self.progress
        self.progress = replace(
            before, results={**before.results, tool: result}, done=(*before.done, tool)
        )
        self.end(place, ok=True)
        self._context.tracer.emit('OBSERVE', f'{tool} is done', tool_name=tool)

    def fail(self, place: str, tool: Tool, code: str, reason: str) -> str:
        """Notes the failure of a member; returns its reason. A fatal code makes SAFE."""
        name, context = tool.name, self._context
        said = f'{name}: {reason}'
        self.refuse(code, said)
        self.end(place, ok=False)
        context.tracer.emit('ERROR', said, tool_name=name, ok=False, error_reason=said)
        if decision_after(code, tool.skill.error_map) is DecisionType.ABORT:
            context.make_safe(name, said, code)
        return said

    def refuse(self, code: str, reason: str) -> None:
        """Notes why some members have failed together."""
        self.progress = replace(self.progress, failed=(code, reason))

    def note(self, place: str, *, called: bool, result: ToolResult | None) -> None:
        """Notes the progress of a running member."""
        begun = self.progress.begun.get(place)
        if begun is not None and (begun.called, begun.result) != (called, result):
            changed = replace(begun, called=called, result=result)
            self.progress = self.progress.with_begun(place, changed)

    def note_left(self, place: str, seconds: float) -> None:
        """Notes the rest of a time limit."""
        before = self.progress
        self.progress = replace(before, left_s={**before.left_s, place: round(seconds, 3)})


class MemberCall(OnDemand, TickedSelector):
    """Plants the tool's subtree when it begins, and adopts its status.

    What its server says is compared with what is measured, as for a tool that was proposed: where
    it is not shown within `CONFIRM_WAIT_S`, the member has failed.
    """

    always = 0

    def __init__(
        self,
        context: MemberContext,
        tool: Tool,
        plan: Plan,
        members: Members,
        at: At,
        subtree: Behaviour,
    ) -> None:
        super().__init__(f'Member {tool.name}', memory=False)
        self._context, self._tool, self._plan = context, tool, plan
        self._members, self._at = members, at
        self.subtrees = (subtree,)
        self._since = 0.0
        self._begun = False
        self._ended_at: float | None = None

    def initialise(self) -> None:
        """Resets the member; nothing is called yet."""
        self._since = self._context.now.steady
        self._begun = False
        self._ended_at = None

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Calls the tool once its resources are free, then confirms its success."""
        if self.status is not Status.RUNNING:
            before = self._members.ended(self._at())
            if before is not None:
                self.end_tick(before, visited)
                return
            self.initialise()
        status = self._begin() if not self._begun else Status.SUCCESS
        if status is Status.SUCCESS:
            status = self._run(visited)
        self.end_tick(status, visited)

    def _begin(self) -> Status:
        """Returns SUCCESS once the subtree may be ticked."""
        arguments = dict[str, Any]()
        for name, given in self._plan.args.items():
            value, missing = self._value(given)
            if missing:
                return self._fail(CallError.FAILED.value, f'{name} is {given}: {missing}')
            arguments[name] = value
        arguments = self._tool.effective(arguments)
        if misfit := self._tool.refuse_arguments(arguments):
            return self._fail(CallError.FAILED.value, misfit.sentence)
        context, members = self._context, self._members
        taken = context.calls.leases.conflicts('', self._tool.skill.resources_required)
        if taken:
            return self._wait(f'In use: {", ".join(sorted(taken))}')
        progress = replace(members.progress, began=members.progress.began + 1)
        fixed = not any(reference(each) for each in self._plan.args.values())
        proposal = Proposal(f'member-{progress.began}', self._tool.name, arguments)
        context.begin_member(progress.began, proposal, fixed, progress.moved)
        member = BegunMember(context.round.call_id, self._tool.name, arguments)
        members.progress = progress.with_begun(self._at(), member)
        self._begun = True
        return Status.SUCCESS

    def _wait(self, why: str) -> Status:
        patience = self._context.config.executive.guards.server_wait_s
        if self._context.now.steady - self._since >= patience:
            return self._fail(CallError.FAILED.value, why)
        self._context.wake_at(steady=self._since + patience)
        self.feedback_message = f'waiting: {why}'
        return Status.RUNNING

    def _value(self, given: Any) -> tuple[Any, str]:
        """Return a value as text, or that it is not known."""
        named = reference(given)
        if named is None:
            return given, ''
        source, path = named
        if not path:
            proposal = self._context.whole_arguments()
            return proposal.get(source), '' if source in proposal else 'no such argument was given'
        result = self._members.progress.results.get(source)
        if result is None:
            return None, f'{source} has given no result'
        value = value_at(result.data, path)
        return value, '' if value is not None else f'the result of {source} has no {path}'

    def _run(self, visited: list[Behaviour]) -> Status:
        if self._ended_at is not None:
            return self._confirm()
        (subtree,) = self.subtrees
        self.plant(subtree)
        self.current_child = subtree
        status = tick_into(subtree, visited)
        self.feedback_message = subtree.feedback_message
        context, progress = self._context, self._members.progress
        if context.round.permit and not progress.moved:
            self._members.progress = replace(progress, moved=True)
        called = context.round.asked is not None
        if called:
            changed = conditions_on(self._tool.skill.postcondition, context.config.robot.guards)
            context.note_resolved(changed)
        if status is Status.SUCCESS:
            self._ended_at = context.now.steady
            context.end_tool()
            self._members.note(self._at(), called=called, result=self._result)
            return self._confirm()
        if status is Status.FAILURE:
            context.end_tool()
            this = context.round
            return self._fail(this.code or CallError.FAILED.value, this.outcome.error_reason)
        self._members.note(self._at(), called=called, result=None)
        return status

    @property
    def _result(self) -> ToolResult:
        return self._context.round.result or ToolResult(ok=True)

    def _confirm(self) -> Status:
        context, tool = self._context, self._tool
        arguments = context.round.proposal.arguments if context.round.proposal else {}
        result, doubt = as_shown(context, tool, arguments, self._result)
        until = (self._ended_at or 0.0) + CONFIRM_WAIT_S
        if doubt and context.now.steady < until:
            context.wake_at(steady=until)
            self.feedback_message = f'waiting to see that it is done: {doubt}'
            return Status.RUNNING
        if doubt:
            return self._fail(CallError.FAILED.value, NOT_SHOWN.format(doubt=doubt))
        self.feedback_message = 'done'
        self._members.done(self._at(), tool.name, result)
        return Status.SUCCESS

    def _fail(self, code: str, reason: str) -> Status:
        self.feedback_message = self._members.fail(self._at(), self._tool, code, reason)
        return Status.FAILURE


_UNDER_WAY = (CallState.SENT, CallState.ACCEPTED, CallState.RUNNING)


class MemberContext(Context):
    """Delegates everything but the round, and the guards that read it, to the composite's.

    `at`: where it stands in the composite.
    """

    def __init__(self, whole: Context, at: Callable[[], str] = str) -> None:
        self._whole, self._at = whole, at
        self._round = Round(NO_ROUND)
        self.guards = GuardViews(self, whole.persistent, whole.named)

    def __getattr__(self, name: str) -> Any:
        """Returns a member of the composite's context that each tick sets, such as the time."""
        return getattr(self.__dict__['_whole'], name)

    @property
    def round(self) -> Round:
        """The member's own."""
        return self._round

    @round.setter  # noqa: A003 (the property above, not the builtin function)
    def round(self, changed: Round) -> None:
        self._round = changed

    @property
    def composites(self) -> Mapping[str, CompositeProgress]:
        """The composites of the proposed tool, of which this one may be a member."""
        return self._whole.composites

    @composites.setter
    def composites(self, changed: Mapping[str, CompositeProgress]) -> None:
        self._whole.composites = changed

    @property
    def resolved(self) -> frozenset[str]:
        """Those of the proposed tool, which was approved as a whole."""
        return self._whole.resolved

    def note_resolved(self, preconditions: Iterable[str]) -> None:
        """Notes them for the proposed tool."""
        self._whole.note_resolved(preconditions)

    @property
    def scope(self) -> str:
        """Returns the prefix of the places of its own members."""
        return f'{self._whole.scope}{self._at()}/'

    def wake_at(self, **moments: float) -> None:
        """Wakes the executive, which ticks the whole tree."""
        self._whole.wake_at(**moments)

    def begin_member(self, number: int, proposal: Proposal, fixed: bool, moved: bool) -> None:
        """Begins a round for a call.

        Args:
            number: Of the call in the composite.
            proposal: What is called.
            fixed: All of its arguments stand in the robot's file, so nobody need have named them.
            moved: A member has moved the robot since a human agreed.
        """
        whole = self._whole.round
        self._round = Round(
            call_id=f'{whole.call_id}/{number}',
            output=proposal,
            approved=whole.approved,
            agreed=None if moved else whole.agreed,
            edited=whole.edited,
            step=proposal if fixed or whole.step else None,
        )

    def _may_still_move(self, holder: str) -> bool:
        """A member beside it moves under a permit of its gate, or has asked nobody yet.

        Beside it in the proposed tool, of which its composite may be a member.
        """
        if not is_of(holder, self._proposed_call):
            return True
        permitted = {each.goal for each in self.permits.given.values() if each.goal}
        return any(
            call.call_id == holder
            and call.state is not CallState.REQUESTED
            and not (call.state in _UNDER_WAY and call.goal_id in permitted)
            for call in self.calls.running()
        )

    @property
    def _proposed_call(self) -> str:
        whole = self._whole
        return whole._proposed_call if isinstance(whole, MemberContext) else whole.round.call_id

    def whole_arguments(self) -> Mapping[str, Any]:
        """The composite's own arguments."""
        proposal = self._whole.round.proposal
        return proposal.arguments if proposal else {}


class MemberGuard(Guard):
    """A guard of some members: its refusal ends these, not the whole tool.

    `at`: the place of these members. What is asked at the start only is asked when they begin.
    """

    def __init__(self, context: Context, name: str, members: Members, at: At) -> None:
        self._own = MemberContext(context)
        super().__init__(
            self._own,
            preconditions_of(context.config.executive.variant, context.config.robot)[name],
        )
        self._whole, self._members, self._at = context, members, at

    def update(self) -> Status:
        """Evaluates the guard for the composite as a whole."""
        held_before = self.status is Status.SUCCESS
        have_begun = held_before or self._members.has_ended_within(self._at())
        this = self._whole.round
        self._own.round = this if have_begun else replace(this, ran=False)
        status = super().update()
        if self.refusal is not None:
            self._members.refuse(code_of_refusal(self.refusal.guard), self.refusal.reason)
        return status
