"""Take stock: what came of the round, what the planner is told, and how it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from bt_executive import goals
from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Round
from bt_executive.kernel.decisions import RoundFacts, decide
from bt_executive.kernel.outcome import end_of_goal, in_words
from bt_executive.ports import Answer, PlannerFailure, ToolResult
from bt_executive.state import Decision, DecisionType, Outcome, SkillResult, Task

FRESH_STATUS_WAIT_S = 1.0
MOVES_SOMETHING = frozenset({'base', 'mast'})


class TakeStock(Leaf):
    """SUCCESS when the round is decided.

    After a tool that moves something it first waits for a word of the adapter that is younger
    than the tool's end, so that the next proposal is not judged by how things were.
    """

    def update(self) -> Status:
        """Waits for a fresh look, then decides."""
        this, task = self.brain.round, self.brain.task
        if task is None:
            return self.success('the goal has ended')
        if this.ended_at is None:
            this.ended_at = self.brain.now
        if self._stale(this, this.ended_at):
            return self.running('waiting for a fresh status')
        result = self._result(this)
        if this.proposal is not None:
            self._count(this, task, result)
        if this.ran:
            self._tell(this, result)
        decision = decide(self._facts(this, task, result))
        steps = self.brain.progress.steps
        self.brain.replace(react=replace(self.brain.state.react, iter=steps, decision=decision))
        self._carry_out(decision, this, task, result)
        return self.success(decision.type.value)

    def _stale(self, this: Round, ended_at: float) -> bool:
        tool = self.brain.registry.get(this.proposal.tool) if this.proposal else None
        if not this.ran or tool is None:
            return False
        if not MOVES_SOMETHING & set(tool.skill.resources_required):
            return False
        self.brain.ring_at(ended_at + FRESH_STATUS_WAIT_S)
        seen_at = self.brain.state.robot.status_at or 0.0
        return seen_at <= ended_at and self.brain.now - ended_at < FRESH_STATUS_WAIT_S

    def _result(self, this: Round) -> ToolResult:
        """The tool's own result, or why it did not run or was stopped."""
        verdict = this.verdict
        if verdict is None or verdict.refusal is None:
            return this.result or ToolResult(ok=False, error_reason='Ended without a result')
        data = {'refused_by': verdict.refusal.guard, 'allowed_now': list(verdict.allowed_now)}
        return ToolResult(ok=False, error_reason=verdict.reason, data=data)

    def _count(self, this: Round, task: Task, result: ToolResult) -> None:
        progress = self.brain.progress
        progress.steps += 1
        progress.refusals += this.refused
        progress.tool = this.proposal.tool if this.proposal else ''
        if result.score is not None:
            progress.take_score(result.score, bool(result.data.get('is_good')))
            score, is_good = progress.last_score, progress.last_is_good
            world = replace(self.brain.state.world, last_score=score, last_is_good=is_good)
            self.brain.replace(world=world)
        verdict = f'refused: {result.error_reason}' if this.refused else 'allowed'
        self.brain.reporter.feedback(task, progress, verdict, self.brain.state.tasks.mode.value)

    def _tell(self, this: Round, result: ToolResult) -> None:
        name = this.proposal.tool if this.proposal else ''
        self.brain.tracer.emit(
            'RESULT' if result.ok else 'ERROR',
            f'{name}: {in_words(result)}',
            tool_name=name,
            ok=result.ok,
            error_reason=result.error_reason or None,
            score=result.score,
            data={'result': dict(result.data)},
        )
        status: Literal['SUCCESS', 'FAILED'] = 'SUCCESS' if result.ok else 'FAILED'
        last = SkillResult(status, this.error_code, result.error_reason)
        self.brain.replace(skills=replace(self.brain.state.skills, last_result=last))

    def _facts(self, this: Round, task: Task, result: ToolResult) -> RoundFacts:
        executive, progress = self.brain.config.executive, self.brain.progress
        tool = self.brain.registry.get(this.proposal.tool) if this.proposal else None
        return RoundFacts(
            answered=isinstance(this.output, Answer),
            planner_failed=this.output.reason if isinstance(this.output, PlannerFailure) else '',
            aborted=this.aborted,
            ok=result.ok,
            refused=this.refused,
            reason=result.error_reason,
            mapped=tool.skill.error_map.get(this.error_code, '') if tool else '',
            idempotent=tool is not None and tool.skill.idempotent,
            attempt=this.attempt,
            steps=progress.steps,
            max_steps=executive.agent.max_iterations,
            elapsed_s=self.brain.now - progress.started_at,
            max_wall_s=executive.goal.max_wall_s,
            single_call=bool(task.tool),
        )

    def _carry_out(self, decision: Decision, this: Round, task: Task, result: ToolResult) -> None:
        if decision.type is DecisionType.RETRY:
            self.brain.new_round(this.attempt + 1, this.output)
            return
        if decision.type is DecisionType.FINISH:
            answer = this.output.text if isinstance(this.output, Answer) else None
            ending = end_of_goal(task, answer, result, self.brain.progress.last_is_good)
            goals.end_active(self.brain, *ending)
        elif decision.type is DecisionType.ABORT:
            outcome: Outcome = 'failed' if isinstance(this.output, PlannerFailure) else 'gave_up'
            goals.end_active(self.brain, outcome, decision.reason)
        else:
            self.brain.planner.give(result)
        self.brain.new_round()
