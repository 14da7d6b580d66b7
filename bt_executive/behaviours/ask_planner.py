"""Ask for the next tool: the planner leaf. The model proposes here and nowhere else."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    PlannerOutput,
    Proposal,
    ToolResult,
)


class AskPlanner(Leaf):
    """SUCCESS once the round has an output: a proposal, an answer, or a failure.

    A task with a tool of its own is the operator's proposal; it passes the same guards. A round
    that was preempted in the middle of a tool is over: the planner hears that the tool was
    interrupted and proposes anew. A proposal that had not started yet stands and is checked again.
    """

    def __init__(self, name: str, brain: Brain) -> None:
        super().__init__(name, brain)
        self._asked_at = 0.0

    def initialise(self) -> None:
        """Starts the planner for a new goal; it thinks in its own thread."""
        self._asked_at = self.brain.now.steady
        task = self.brain.task
        if self.brain.round.ran:
            self._tell_interrupted()
        if self.brain.round.output is not None or task is None:
            return
        if task.tool:
            call_id = self.brain.round.call_id
            self.brain.round.output = Proposal(call_id, task.tool, task.arguments)
        elif self.brain.planner_goal != task.task_id:
            self.brain.planner_goal = task.task_id
            self.brain.planner.start(task.goal, self._context())

    def update(self) -> Status:
        """Looks whether the planner has spoken."""
        this = self.brain.round
        if this.output is None:
            this.output = self.brain.planner.poll() or self._time_out()
            if this.output is None:
                return self.running(f'thinking for {self.brain.now.steady - self._asked_at:.0f} s')
            self._tell(this.output)
        proposal = this.proposal
        return self.success(f'proposes {proposal.tool}' if proposal else 'has spoken')

    def _tell_interrupted(self) -> None:
        proposal = self.brain.round.proposal
        if proposal is not None and self.brain.planner_goal is not None:
            result = ToolResult(ok=False, error_reason='Interrupted before it was done')
            self.brain.progress.history.append((proposal, result))
            self.brain.planner.give(result)
            self.brain.tracer.emit(
                'ERROR',
                f'{proposal.tool}: {result.error_reason}',
                tool_name=proposal.tool,
                ok=False,
                error_reason=result.error_reason,
            )
        self.brain.new_round()

    def _context(self) -> PlannerContext:
        memory = self.brain.config.prompts.memory
        return PlannerContext(
            palette=self.brain.registry.palette(),
            memory=self.brain.memory.lines() if memory.enabled else (),
            max_tool_calls=self.brain.config.executive.agent.max_iterations,
            history=tuple(self.brain.progress.history),
            tokens_used=self.brain.progress.model.tokens,
        )

    def _time_out(self) -> PlannerFailure | None:
        limit = self.brain.config.executive.planner.timeout_s
        self.brain.ring_at(steady=self._asked_at + limit)
        if self.brain.now.steady - self._asked_at < limit:
            return None
        self.brain.planner.cancel()
        return PlannerFailure(f'The planner proposed nothing within {limit:g} s')

    def _tell(self, output: PlannerOutput) -> None:
        if isinstance(output, Proposal) and output.thought:
            self.brain.tracer.emit('HYPOTHESIZE', output.thought, tool_name=output.tool)
        elif isinstance(output, Answer):
            self.brain.tracer.emit('HYPOTHESIZE', output.text)
        elif isinstance(output, PlannerFailure):
            self.brain.tracer.emit('ERROR', output.reason, ok=False, error_reason=output.reason)
