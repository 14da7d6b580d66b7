"""Asks the planner for the next tool, and checks the proposal: catalogue, schema, guards.

The model proposes here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
import difflib

from py_trees.common import Status

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    PlannerOutput,
    Proposal,
)
from bt_executive.core.goal_outcome import is_interrupted
from bt_executive.core.goal_queue import Task
from bt_executive.core.guard_view_and_verdict import GuardReading, Verdict, allows, refuses
from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.core.reading_ages import topic_parts, with_ages
from bt_executive.core.refusal_explanation import why_refused
from bt_executive.core.trace import TraceData
from bt_executive.skills.tool_registry import resolvers_of
from bt_executive.tree import goal_readiness_and_transitions as goals
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.branch_conditions import why_no_approval
from bt_executive.tree.confirm_and_note_tool_results import note_preempted, with_answer
from bt_executive.tree.context_roles import GoalAccess
from bt_executive.tree.ending_of_active_goal import begin_reading, ending_of_tool
from rover_common.dataclass_replace import replace
from rover_common.text_sanitizing import odd_characters, visible


class AskPlanner(Leaf[GoalAccess]):
    """SUCCESS once the round has an output: a proposal, an answer, or a failure.

    A task with a tool of its own is the operator's proposal; it passes the same guards. A round
    that was preempted in the middle of a tool is over: the planner hears that the tool was
    interrupted, or what came of it if it had just ended, and proposes anew. The operator's tool
    begins anew only if it may be called twice. A proposal that had not started yet stands and is
    checked again, and so does the end of the goal by the planner.
    """

    def __init__(self, name: str, context: GoalAccess) -> None:
        super().__init__(name, context)
        self._asked_at = 0.0

    def initialise(self) -> None:
        """Starts the planner, which has its own thread, for a new goal."""
        self._asked_at = self.context.now.steady
        task = self.context.task
        if self.context.round.ran and self.context.round.planner_end is None:
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
            goals.note_model_use(self.context)
            self._trace(output)
        proposal = self.context.round.proposal
        return self.success(f'proposes {proposal.tool}' if proposal else 'has spoken')

    def _resume(self) -> None:
        """Passes the result of a preempted tool to the planner.

        After a preempted question of the tree, that is the result of the planner's own tool.
        """
        this, result = self.context.round, note_preempted(self.context)
        if this.owed is not None:
            result = with_answer(this.owed, result) if result.ok else this.owed
        if this.proposal is not None and self.context.planner_goal is not None:
            self.context.planner.give(result, self.context.guards.barred())
        self.context.new_round()

    def _propose_by_hand(self, task: Task) -> None:
        """Proposes the goal's own tool; a preempted one that must not run twice ends the goal."""
        this, tool = self.context.round, self.context.registry.get(task.tool)
        before = [result for _, result in self.context.progress.history[-1:]]
        interrupted = any(map(is_interrupted, before))
        if not before or (interrupted and tool and tool.skill.idempotent):
            proposal = self._as_given(Proposal(this.call_id, task.tool, task.arguments))
            self.context.round = replace(this, output=proposal)
            return
        ending = ending_of_tool(self.context, task, before[0])
        if interrupted:
            ending = replace(ending, outcome='interrupted')
        goals.end_active(self.context, ending.outcome, ending.answer, ending.missing)

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
            tokens_used=self.context.progress.model.tokens_of_budget,
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


MAX_NAME_CHARS = 100  # of a proposed tool's name, for the search of similar ones
WAIT_REPORTED_S = 1.0  # a shorter wait is not reported


class CheckProposal(Leaf[GoalAccess]):
    """SUCCESS if the tool may run, FAILURE with the guard's reason if not.

    While the only refusal is expected to pass (the adapter is restarting, the last tool is still
    ending) it waits, for `guards.server_wait_s` at most. A longer wait is reported, once for each
    guard.

    With `human_next`, that a call may run is not told where a human is still to agree.
    """

    def __init__(self, name: str, context: GoalAccess, human_next: bool = False) -> None:
        super().__init__(name, context)
        self._human_next = human_next
        self._since = 0.0
        self._reported: set[str] = set()  # guards
        self.refusal: GuardReading | None = None

    def initialise(self) -> None:
        self._since = self.context.now.steady
        self._reported.clear()

    def update(self) -> Status:
        self.refusal = None
        proposal = self.context.round.proposal
        if proposal is None:
            return self.failure('nothing proposed')
        verdict = self.judge(proposal)
        refusal = verdict.refusal
        patience = self.context.config.executive.guards.server_wait_s
        if refusal and refusal.passing and self.context.now.steady - self._since < patience:
            self.context.wake_at(steady=self._since + patience)
            self._report_wait(proposal.tool, refusal)
            return self.running(f'waiting: {refusal.reason}')
        self.refusal = refusal
        self.context.round = replace(self.context.round, verdict=verdict)
        if verdict.allowed and self._human_next and why_no_approval(self.context) is None:
            return self.success('a human is asked')
        self._trace(proposal, verdict)
        return self.success('allowed') if verdict.allowed else self.failure(verdict.reason)

    def judge(self, proposal: Proposal) -> Verdict:
        """Returns the verdict of the guards, up to the first that refuses. Changes nothing."""
        readings: list[GuardReading] = []
        for reading in self._readings(proposal):
            readings.append(reading)
            if not reading.allowed:
                return Verdict(proposal.tool, tuple(readings), self.context.guards.allowed_now())
        return Verdict(proposal.tool, tuple(readings))

    def _readings(self, proposal: Proposal) -> Iterator[GuardReading]:
        registry = self.context.registry
        unknown = self._unknown(proposal.tool)
        yield (
            refuses('catalogue', unknown, proposal.tool)
            if unknown
            else allows('catalogue', proposal.tool)
        )
        tool, given = registry[proposal.tool], dict(proposal.arguments)
        misfit = tool.refuse_arguments(given)
        reason = proposal.fault or (misfit.sentence if misfit else '')
        yield refuses('arguments', reason, given) if reason else allows('arguments', given)
        resolvers = resolvers_of(tool, registry, self.context.config.executive.guards)
        resources = {*tool.skill.resources_required}
        resources.update(*(each.skill.resources_required for each in resolvers.values()))
        taken = self.context.conflicts(resources)
        busy, asked = f'In use: {", ".join(sorted(taken))}', sorted(resources)
        yield (
            refuses('resources', busy, asked, passing=True)
            if taken
            else allows('resources', asked)
        )
        view = self.context.guards.view()
        for precondition in (*ALWAYS_ASKED, *tool.preconditions):
            reading = precondition.read(view)
            if reading.allowed or precondition.name not in resolvers:
                yield reading

    def _unknown(self, name: str) -> str | None:
        context, registry = self.context, self.context.registry
        by_people = context.proposed_by in ('operator', 'tree')
        by_model = not by_people and context.round.owed is None
        tool = registry.get(name)
        if tool is not None and (tool.skill.offered or not by_model):
            return None
        names = [tool for tool in registry if registry[tool].skill.offered or not by_model]
        close = difflib.get_close_matches(name[:MAX_NAME_CHARS], names, n=1)
        hint = f'did you mean {close[0]}?' if close else f'known: {", ".join(names)}'
        odd = odd_characters(name)
        remark = f' (it has {odd}, which makes it another name)' if odd else ''
        return f"No tool '{visible(name):.80}'{remark}; {hint}"

    def _report_wait(self, tool: str, objection: GuardReading) -> None:
        """Reports what the tool waits for, in the trace and to the goal's own client."""
        context, task, due = self.context, self.context.task, self._since + WAIT_REPORTED_S
        if task is None or objection.guard in self._reported:
            return
        if context.now.steady < due:
            context.wake_at(steady=due)
            return
        self._reported.add(objection.guard)
        why = f'waits: {objection.reason}'
        data: TraceData = {'task_id': task.task_id, 'waits_for': objection.reason}
        context.tracer.emit('OBSERVE', f'{tool:.80} {why}', tool_name=tool, data=data)
        context.reporter.feedback(task, context.progress, why, context.state.tasks.mode.value)

    def _trace(self, proposal: Proposal, verdict: Verdict) -> None:
        context, refusal = self.context, verdict.refusal
        data: TraceData = {
            'proposed_by': context.proposed_by,
            'thought': proposal.thought,
            'arguments': dict(proposal.arguments),
            'guard': refusal.guard if refusal else None,
            'error_code': context.round.code or None,
            'verdict': verdict.as_data(),
        }
        if context.round.edited:
            data['edited'] = True
        if refusal is not None:
            data['why'] = why_refused(
                refusal.guard, proposal.tool, context.state, context.now, context.config
            )
        context.tracer.emit(
            'DECIDE',
            f'{proposal.tool:.80}: ' + ('allowed' if verdict.allowed else verdict.reason),
            tool_name=proposal.tool,
            ok=verdict.allowed,
            error_reason=verdict.reason or None,
            data=data,
        )
