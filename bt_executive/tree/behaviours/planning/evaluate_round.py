"""Evaluates the round: its result, the decision on it, and the report to the planner."""

from __future__ import annotations

from typing import Any, Literal

from py_trees.common import Status

from bt_executive.core.error_codes import NAV_BLOCKED, decision_after
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_outcome import EDITED_TO, Outcome, not_confirmed
from bt_executive.core.goal_queue import Task
from bt_executive.core.reading_ages import FRESH_STATUS_WAIT_S, is_still_outdated
from bt_executive.core.round_decision import PlannerEnd, RoundSummary, decide
from bt_executive.core.state import Decision, DecisionType, SkillResult
from bt_executive.core.surroundings_state import with_obstacle
from bt_executive.skills.tool_registry import resolver_of
from bt_executive.tree import goal_readiness_and_transitions as goals
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.behaviours.planning.drive_the_rest import (
    DriveTheRest,
    Rest,
    describe_rest,
    of_all_parts,
)
from bt_executive.tree.confirm_and_note_tool_results import (
    doubt_of_round,
    may_still_be_seen,
    note_answer,
    trace_result,
    with_answer,
    with_distance,
)
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.ending_of_active_goal import ending_of_goal, ending_of_tool, is_being_read
from bt_executive.tree.places_named_in_goal import ASK_OPERATOR
from bt_executive.tree.planning_round import Round
from rover_common.dataclass_replace import replace


class EvaluateRound(Leaf[GoalAccess]):
    """SUCCESS when the round is decided.

    After a tool that moves something it first waits for a status that is younger than the tool's
    end, so that the next proposal is not judged by an outdated one. After a drive that a gap has
    stopped it waits until the rest of it is known, for `guards.server_wait_s` at most.
    """

    def __init__(self, name: str, context: GoalAccess) -> None:
        super().__init__(name, context)
        self._drive = DriveTheRest(context)

    def update(self) -> Status:
        """Waits for a fresh status, then decides."""
        task = self.context.task
        if task is None:
            return self.success('the goal has ended')
        self.context.end_tool()
        this = self.context.round
        if self._stale(this):
            return self.running('waiting for a fresh status')
        if missing := self._drive.waits_for():
            return self.running(missing)
        if is_being_read(self.context, task):
            return self.running('waiting for what the words of the goal ask for')
        doubt = doubt_of_round(self.context)
        if doubt and may_still_be_seen(self.context):
            return self.running(f'waiting to see that it is done: {doubt}')
        result = not_confirmed(this.outcome, doubt) if doubt else this.outcome
        result = with_distance(self.context, result)
        rest = self._drive.rest()
        if this.proposal is not None and this.owed is None:
            self._count(this, this.proposal, task, result)
        if this.ran:
            self._report(this, result)
        elif this.result is not None:  # the memory's, which was asked before the tool began
            self.context.note_reported(this.tool)
        if this.ran or this.refused or this.result is not None:
            self._keep(this, result)
        summary = self._summary(this, task, result, rest)
        decision = decide(summary, self.context.config.executive)
        decision = replace(decision, ops=_calls_of_tree(decision, this, rest))
        self._update_state(this, result, decision)
        self._carry_out(decision, this, task, of_all_parts(this, result), summary.fatal, rest)
        if summary.fatal:
            self.context.make_safe(this.tool, result.error_reason, this.code)
        return self.success(decision.type.value)

    def _update_state(self, this: Round, result: ToolResult, decision: Decision) -> None:
        """Puts the round's result and decision into the state."""
        proposal = this.proposal
        observation = (
            {'tool': proposal.tool, 'ok': result.ok, 'reason': result.error_reason}
            | {'error_code': this.code or ''}
            | ({'data': dict(result.data)} if result.ok else {})
            if proposal
            else {}
        )
        react = replace(
            self.context.state.react,
            iter=self.context.progress.steps,
            observation=observation,
            decision=decision,
        )
        trace = replace(self.context.state.trace, log=self.context.remembered())
        self.context.replace(react=react, trace=trace)
        goals.note_model_use(self.context)

    def _stale(self, this: Round) -> bool:
        tool, ended_at = self.context.proposed_tool, this.ended_at
        if not this.ran or tool is None or ended_at is None:
            return False
        if not {*self.context.config.robot.moving_resources} & {*tool.skill.resources_required}:
            return False
        self.context.wake_at(steady=ended_at + FRESH_STATUS_WAIT_S)
        return is_still_outdated(self.context.is_settled(), ended_at, self.context.now.steady)

    def _count(self, this: Round, proposal: Proposal, task: Task, result: ToolResult) -> None:
        progress, tool = self.context.progress, self.context.proposed_tool
        before = this.before if result.ok else None  # a drive in parts is one act
        step = (before.whole, of_all_parts(this, result)) if before else (proposal, result)
        progress.history.append((step[0], _with_edit(this, step[1])))
        if tool is not None and not tool.skill.acts and not this.refused:
            return
        progress.steps += 1
        progress.refusals += this.refused
        progress.tool = proposal.tool
        progress.monitor.count(
            proposal.tool, proposal.arguments, result.ok, this.refused, result.error_reason
        )
        self.context.note_score(result)
        verdict = f'refused: {result.error_reason}' if this.refused else 'allowed'
        self.context.reporter.feedback(
            task, progress, verdict, self.context.state.tasks.mode.value
        )

    def _keep(self, this: Round, result: ToolResult) -> None:
        """Puts how the round ended into the state, where a breakpoint reads it."""
        status: Literal['SUCCESS', 'FAILED'] = 'SUCCESS' if result.ok else 'FAILED'
        refusal = this.verdict.refusal if this.refused and this.verdict else None
        last = SkillResult(
            status,
            this.code or '',
            result.error_reason,
            dict(this.metrics),
            refusal.guard if refusal else '',
        )
        self.context.replace(skills=replace(self.context.state.skills, last_result=last))

    def _report(self, this: Round, result: ToolResult) -> None:
        trace_result(self.context, this.tool, result, this.code)
        if this.error_code == NAV_BLOCKED and self.context.state.robot.pose_at is not None:
            pose = self.context.state.robot.pose
            place = {'x': pose.x, 'y': pose.y, 'ts': self.context.now.ros}
            obstacle = place | {'tool': this.tool, 'reason': result.error_reason}
            self.context.replace(world=with_obstacle(self.context.state.world, obstacle))

    def _summary(
        self, this: Round, task: Task, result: ToolResult, rest: Rest | None
    ) -> RoundSummary:
        progress = self.context.progress
        tool = self.context.proposed_tool
        return RoundSummary(
            planner_end=this.planner_end,
            ok=result.ok,
            refused=this.refused,
            reason=result.error_reason,
            mapped=decision_after(this.code, tool.skill.error_map) if tool else None,
            idempotent=tool is not None and tool.skill.idempotent,
            attempt=this.attempt,
            can_drive_rest=rest is not None,
            single_call=bool(task.tool),
            asked_operator=this.owed is not None,
            failures=progress.monitor.failures,
            same_refusal=progress.monitor.same_refusal,
            ping_pong=progress.monitor.ping_pong,
            usage=progress.usage(self.context.now),
        )

    def _carry_out(
        self,
        decision: Decision,
        this: Round,
        task: Task,
        result: ToolResult,
        fatal: bool,
        rest: Rest | None,
    ) -> None:
        end = this.planner_end
        if decision.type is DecisionType.RETRY:
            self._try_again(this, rest)
        elif decision.type is DecisionType.FINISH:
            finished = end is not None and end.code is PlannerEnd.FINISHED
            ending = (
                ending_of_goal(self.context, task, end.sentence, finished)
                if end
                else ending_of_tool(self.context, task, self._with_help(this, result))
            )
            goals.end_active(self.context, ending.outcome, ending.answer, ending.missing)
        elif decision.type is DecisionType.ABORT:
            has_failed = fatal or (end is not None and end.code is PlannerEnd.FAILED)
            outcome: Outcome = 'failed' if has_failed else 'gave_up'
            reasons = (this.owed.error_reason if this.owed else '', decision.reason)
            goals.end_active(
                self.context, outcome, ': '.join(dict.fromkeys(filter(None, reasons)))
            )
        elif decision.type is DecisionType.ASK_HUMAN:
            self._ask_operator(decision.reason, _with_edit(this, result))
        else:
            self._report_to_planner(this, result)

    def _with_help(self, this: Round, result: ToolResult) -> ToolResult:
        """Returns the refusal of the operator's own tool, with the remedy."""
        refusal = this.verdict.refusal if this.verdict else None
        if refusal is None or self.context.proposed_by != 'operator':
            return result  # programs read the exact reason
        skills = {name: tool.skill for name, tool in self.context.registry.items()}
        helper = resolver_of(refusal.guard, self.context.config, skills)
        if not helper:
            return result
        skill = skills[helper]
        name = skill.command.word if skill.command else helper
        typed = f':tool {helper}' if skill.args and not skill.command else f':{name}'
        return replace(result, error_reason=f'{result.error_reason} (first: {typed})')

    def _try_again(self, this: Round, rest: Rest | None) -> None:
        """Begins a round with the same call, or with the rest of it."""
        tool = self.context.proposed_tool
        if rest is not None and tool is not None:
            message, gaps = describe_rest(rest, tool), rest.before.gaps
            self.context.tracer.emit(
                'OBSERVE', message, tool_name=tool.name, data={'interruptions': gaps}
            )
        self.context.new_round(
            this.attempt + 1,
            rest.proposal if rest else this.output,
            edited=this.edited,
            before=rest.before if rest else this.before,
        )

    def _ask_operator(self, reason: str, result: ToolResult) -> None:
        """Begins a round with the tree's own question; the planner waits for the answer."""
        self.context.tracer.emit('DECIDE', f'The operator is asked: {reason}', ok=False)
        question = Proposal('tree', ASK_OPERATOR, _question(reason))
        self.context.new_round(output=question, owed=result)

    def _report_to_planner(self, this: Round, result: ToolResult) -> None:
        if this.owed is not None and this.proposal is not None:
            note_answer(self.context, this.proposal, result)
            result = with_answer(this.owed, result)
        if self.context.planner_goal is not None:  # otherwise it starts with the whole history
            self.context.planner.give(_with_edit(this, result), self.context.guards.barred())
        self.context.new_round()


def _with_edit(this: Round, result: ToolResult) -> ToolResult:
    """Return the result, with the arguments by which the operator has replaced the planner's."""
    if not this.edited or this.proposal is None:
        return result
    whole = this.before.whole if this.before else this.proposal
    return replace(result, data={**result.data, EDITED_TO: dict(whole.arguments)})


def _calls_of_tree(
    decision: Decision, this: Round, rest: Rest | None
) -> tuple[dict[str, Any], ...]:
    """Return the calls that the tree makes by itself after a decision."""
    again = rest.proposal if rest else this.proposal
    if decision.type is DecisionType.RETRY and again is not None:
        return ({'tool': this.tool, 'arguments': dict(again.arguments)},)
    if decision.type is DecisionType.ASK_HUMAN:
        return ({'tool': ASK_OPERATOR, 'arguments': _question(decision.reason)},)
    return ()


def _question(reason: str) -> dict[str, str]:
    return {'question': f'{reason[:400].rstrip(".")}. What should I do?'}
