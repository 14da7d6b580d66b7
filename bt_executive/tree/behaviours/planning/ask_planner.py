"""Asks the planner for the next tool. The model proposes here and nowhere else."""

from __future__ import annotations

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    PlannerOutput,
    Proposal,
)
from bt_executive.core.goal_outcome import INTERRUPTED
from bt_executive.core.goal_queue import Task
from bt_executive.core.reading_ages import topic_parts, with_ages
from bt_executive.tree import goal_transitions
from bt_executive.tree.acts_of_active_goal import begin_reading
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.ending_of_active_goal import ending_of_tool
from bt_executive.tree.interrupted_round import note_preempted
from rover_common.dataclass_replace import replace


class AskPlanner(Leaf[GoalAccess]):
    """SUCCESS once the round has an output: a proposal, an answer, or a failure.

    A task with a tool of its own is the operator's proposal; it passes the same guards. A round
    that was preempted in the middle of a tool is over: the planner hears that the tool was
    interrupted, or what came of it if it had just ended, and proposes anew. The operator's tool
    begins anew only if it may be called twice. A proposal that had not started yet stands and is
    checked again.
    """

    def __init__(self, name: str, context: GoalAccess) -> None:
        super().__init__(name, context)
        self._asked_at = 0.0

    def initialise(self) -> None:
        """Starts the planner, which has its own thread, for a new goal."""
        self._asked_at = self.context.now.steady
        task = self.context.task
        if self.context.round.ran:
            self._resume()
        if self.context.round.output is not None or task is None:
            return
        if task.tool:
            self._propose_by_hand(task)
        elif self.context.planner_goal != task.task_id:
            self.context.planner_goal = task.task_id
            self.context.planner.start(task.goal, self._context())
            begin_reading(self.context, task)

    def update(self) -> Status:
        if self.context.task is None:
            return self.failure('the goal has ended')
        if self.context.round.output is None:
            output = self.context.planner.poll() or self._time_out()
            if output is None:
                return self.running(
                    f'thinking for {self.context.now.steady - self._asked_at:.0f} s'
                )
            if isinstance(output, Proposal):
                output = self._as_given(output)
            self.context.round = replace(self.context.round, output=output)
            goal_transitions.note_model_use(self.context)
            self._trace(output)
        proposal = self.context.round.proposal
        return self.success(f'proposes {proposal.tool}' if proposal else 'has spoken')

    def _resume(self) -> None:
        """Passes the result of a preempted tool to the planner.

        After a preempted question of the tree, that is the result of the planner's own tool.
        """
        this = self.context.round
        note_preempted(self.context)
        if this.proposal is not None and self.context.planner_goal is not None:
            self.context.planner.give(this.owed or this.outcome, self.context.guards.barred())
        self.context.new_round()

    def _propose_by_hand(self, task: Task) -> None:
        """Proposes the goal's own tool; a preempted one that must not run twice ends the goal."""
        this, tool = self.context.round, self.context.registry.get(task.tool)
        before = [result for _, result in self.context.progress.history[-1:]]
        if not before or (before == [INTERRUPTED] and tool and tool.skill.idempotent):
            proposal = self._as_given(Proposal(this.call_id, task.tool, task.arguments))
            self.context.round = replace(this, output=proposal)
            return
        ending = ending_of_tool(self.context, task, before[0])
        if before == [INTERRUPTED]:
            ending = replace(ending, outcome='interrupted')
        goal_transitions.end_active(self.context, ending.outcome, ending.answer, ending.missing)

    def _as_given(self, proposal: Proposal) -> Proposal:
        """Returns the proposal without optional arguments that are null."""
        tool = self.context.registry.get(proposal.tool)
        return replace(proposal, arguments=tool.given(proposal.arguments)) if tool else proposal

    def _context(self) -> PlannerContext:
        memory, settings = self.context.config.prompts.memory, self.context.config.executive
        robot = with_ages(self.context.state, self.context.now, settings).robot
        return PlannerContext(
            toolset=self.context.registry.toolset(),
            memory=self.context.remembered() if memory.enabled else (),
            known=tuple(topic_parts(robot).values()),
            max_tool_calls=settings.agent.max_iterations,
            history=tuple(self.context.progress.history),
            tokens_used=self.context.progress.model.tokens,
            barred=self.context.guards.barred(),
        )

    def _time_out(self) -> PlannerFailure | None:
        limit = self.context.config.executive.planner.timeout_s
        self.context.wake_at(steady=self._asked_at + limit)
        if self.context.now.steady - self._asked_at < limit:
            return None
        self.context.planner.cancel()
        return PlannerFailure(f'The planner proposed nothing within {limit:g} s')

    def _trace(self, output: PlannerOutput) -> None:
        if isinstance(output, Proposal) and output.thought:
            self.context.tracer.emit('HYPOTHESIZE', output.thought, tool_name=output.tool)
        elif isinstance(output, Answer):
            self.context.tracer.emit('HYPOTHESIZE', output.text)
        elif isinstance(output, PlannerFailure):
            self.context.tracer.emit('ERROR', output.reason, ok=False, error_reason=output.reason)
