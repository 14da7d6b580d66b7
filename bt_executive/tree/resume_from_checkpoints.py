"""Loads the persistent state at the start: an empty one, or that of the previous run.

Goals are resumed in their order, with their progress; SAFE, the low battery and the operator's
pause stay. A proposal whose tool had not been started is kept, checked and approved again. The
outcome of a started tool is found by `RecoverCall`, which continues a composite; neither sends
anything again. A server that did not end its goal gets no other until it has. A robot that may
move is stopped by `ConfirmStop`. Requests for approval are closed, and so are calls whose server
cannot be asked any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_executive.approval.approval_registry import ApprovalRegistry, RequestState
from bt_executive.core.call_states import ENDING, CallInput, CallState
from bt_executive.core.call_table import ServerCall, is_of
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.given_permits import Permits
from bt_executive.core.goal_queue import Task, proposer_in
from bt_executive.core.round_decision import ProgressMonitor
from bt_executive.core.silent_servers import SilentServer
from bt_executive.core.state import HCIState, UserInterruptType
from bt_executive.core.store_port import GOAL, PROGRESS, Saved
from bt_executive.core.trace import Tracer
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.persistent_state import (
    APPROVALS,
    CALLS,
    GOALS,
    HOLD,
    LEASES,
    MODE,
    MOTION,
    ROUND,
    SILENT,
    STEPPING,
    ApprovalPart,
    GoalsPart,
    Message,
    ModePart,
    MotionPart,
    PersistentState,
    ProgressPart,
    Recovery,
    RoundPart,
    Step,
    SteppingPart,
    read_part,
)
from bt_executive.tree.places_named_in_goal import NamedPlaces
from bt_executive.tree.planning_round import Round
from bt_executive.tree.tree_ports import Ports
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.dataclass_replace import replace

RESTARTED = 'The executive was restarted'
BEFORE_RESTART = ', before the restart'  # after the sender of a stop or pause


@dataclass(frozen=True)
class RunBegins:
    """The input of a start of the executive.

    Attributes:
        run: Number of the run in the store; 0: there is no store.
        saved: The checkpoints of the previous run; None: there are none.
        now: When they were loaded.
    """

    run: int = 0
    saved: Saved | None = None
    now: Now = field(default_factory=lambda: Now.at(0.0))


def resume(
    ports: Ports,
    config: Config,
    registry: Registry,
    begins: RunBegins | None = None,
    approvals: ApprovalRegistry | None = None,
) -> PersistentState:
    """Return the persistent state to start with.

    Raises:
        JournalError: What was saved does not fit this version.
    """
    begins = begins or RunBegins()
    persistent = PersistentState(
        Permits(ports.robot.permit), approvals=approvals or ApprovalRegistry(), run=begins.run
    )
    if begins.saved is not None:
        _Resumption(persistent, begins.saved, config, registry, begins.now).load()
    return persistent


class _Resumption:
    def __init__(
        self,
        persistent: PersistentState,
        saved: Saved,
        config: Config,
        registry: Registry,
        now: Now,
    ) -> None:
        self._persistent, self._saved, self._now = persistent, saved, now
        self._config, self._registry = config, registry
        self._named = NamedPlaces(config, registry)

    def load(self) -> None:
        persistent, saved = self._persistent, self._saved
        persistent.resumed = saved
        messages = (read_part(Message, each) for each in saved.messages)
        conversation = tuple({'role': each.role, 'content': each.content} for each in messages)
        persistent.state = replace(persistent.state, messages=conversation)
        if MODE in saved.parts:
            self._load_mode(read_part(ModePart, saved.parts[MODE]))
        goals = self._part(GoalsPart, GOALS) or GoalsPart()
        calls = tuple(_with_new_limit(each, self._now) for each in self._parts(ServerCall, CALLS))
        leases = self._saved.parts.get(LEASES, {})
        self._load_goals(goals)
        active = persistent.state.tasks.active
        round_ = self._part(RoundPart, ROUND)
        if active is not None and round_ is not None:
            self._load_round(round_, active, calls, leases)
        self._load_calls(calls, leases)
        for server in self._parts(SilentServer, SILENT):
            persistent.calls.silent.add(server)
        motion = self._part(MotionPart, MOTION)
        persistent.stops.owed = motion is not None and motion.may_move
        if goals.order:  # a goal in single steps must not go on without them
            persistent.stepping = self._part(SteppingPart, STEPPING)
        for approval in self._parts(ApprovalPart, APPROVALS):
            self._close(approval)

    def _part(self, kind: type[Any], name: str) -> Any:
        value = self._saved.parts.get(name)
        return None if value is None else read_part(kind, value)

    def _parts(self, kind: type[Any], name: str) -> tuple[Any, ...]:
        return tuple(read_part(kind, each) for each in self._saved.parts.get(name, ()))

    def _load_mode(self, mode: ModePart) -> None:
        persistent, state = self._persistent, self._persistent.state
        robot = replace(state.robot, battery_state=mode.battery_state)
        if mode.battery_state == 'LOW':  # how low is not known, and for how long it may stay so is
            robot = replace(
                robot,
                battery_at=self._now.steady,
                battery_stale=True,
                sent_to_charge=mode.sent_to_charge,
            )
        held_since = mode.held_since if mode.reason else 0.0
        sender = mode.interrupted_by.removesuffix(BEFORE_RESTART)
        hci = HCIState(
            user_interrupt=mode.interrupt,
            interrupt_payload={'source': f'{sender}{BEFORE_RESTART}'},
        )
        is_wanted = mode.interrupt is not UserInterruptType.NONE
        persistent.state = replace(
            state,
            tasks=replace(
                state.tasks, mode=mode.mode, preempt_reason=mode.reason, held_since=held_since
            ),
            world=replace(state.world, safety_reason=mode.safety_reason),
            hci=hci if is_wanted else state.hci,
            robot=robot if mode.battery_state in ('LOW', 'LOST') else state.robot,
        )

    def _load_goals(self, goals: GoalsPart) -> None:
        persistent = self._persistent
        queue = tuple(
            self._with_resources(read_part(Task, self._saved.parts[GOAL + goal_id]))
            for goal_id in goals.order
        )
        tasks = replace(persistent.state.tasks, queue=queue, active_task_id=goals.active)
        persistent.state = replace(persistent.state, tasks=tasks)
        saved_s = self._saved.ros_s
        held = [HOLD] if persistent.state.tasks.held_since else []
        timed = [*held, *(task.task_id for task in queue)]
        persistent.clock_was = {each: goals.clock_was.get(each, saved_s) for each in timed}
        for task in queue:
            self._load_progress(task, task.task_id == goals.active)
        if goals.active is not None:
            persistent.resumed_goal = goals.active

    def _load_progress(self, task: Task, is_active: bool) -> None:
        persistent = self._persistent
        steps = (read_part(Step, each) for each in self._saved.steps.get(task.task_id, ()))
        history = [(step.proposal, step.result) for step in steps]
        used = self._part(ProgressPart, PROGRESS + task.task_id)
        progress = self._progress(used, history)
        had_round = is_active and self._saved.parts.get(ROUND) is not None
        if not task.tool and (history or had_round):
            self._note_read(history, may_have_read=used is None or used.has_read)
        if is_active:
            persistent.progress = progress
            metrics = {'model': progress.model.as_data()}
            persistent.state = replace(
                persistent.state,
                react=replace(persistent.state.react, iter=progress.steps),
                trace=replace(persistent.state.trace, metrics=metrics),
            )
        elif used is not None:
            persistent.parked[task.task_id] = progress

    def _note_read(self, history: list[tuple[Proposal, ToolResult]], may_have_read: bool) -> None:
        """Notes whether planners have read texts of unknown origin, or may have."""
        if may_have_read or self._named.any_brings_text(history):
            self._persistent.has_read = self._persistent.read_before_restart = True

    def _with_resources(self, task: Task) -> Task:
        """Returns the task; without resources of its own, with those of its tool."""
        tool, charge = self._registry.get(task.tool), self._config.robot.charge
        if task.charges and (charge is None or charge.by != task.tool):
            task = replace(task, charges=False)
        if tool is None or task.resources_required:
            return task
        return replace(task, resources_required=tool.skill.resources_required)

    def _progress(
        self, used: ProgressPart | None, history: list[tuple[Proposal, ToolResult]]
    ) -> GoalProgress:
        """Returns the progress of a goal. The time without an executive does not count."""
        if used is None:
            progress = GoalProgress(started_at=self._now, history=history)
        else:
            progress = GoalProgress(
                started_at=self._now.later(-used.elapsed_s, -used.elapsed_s),
                steps=used.steps,
                refusals=used.refusals,
                tool=used.tool,
                distance_m=used.distance_m,
                energy_pct=used.energy_pct,
                first_score=used.first_score,
                last_score=used.last_score,
                last_is_good=used.last_is_good,
                model=used.model,
                monitor=ProgressMonitor.from_data(used.monitor),
                history=history,
                began_at=used.began_at,
            )
        progress.hold(self._now)
        return progress

    def _load_round(
        self,
        was: RoundPart,
        active: Task,
        calls: tuple[ServerCall, ...],
        leases: Mapping[str, str],
    ) -> None:
        if was.by_tree:
            return  # the planner goes on without the tree's question
        persistent = self._persistent
        own = tuple(each for each in calls if is_of(each.call_id, was.call_id))
        if not (was.ran or was.composites or own or was.call_id in leases.values()):
            if proposer_in(active) == 'planner' and was.proposal.tool in self._registry:
                persistent.rounds += 1
                call_id = persistent.call_id('call', persistent.rounds)
                persistent.round = Round(
                    call_id, output=was.proposal, attempt=was.attempt, edited=was.edited
                )
            return
        driven_m = was.pose.driven_m if was.pose else persistent.progress.distance_m
        persistent.round = Round(
            call_id=was.call_id,
            output=was.proposal,
            attempt=was.attempt,
            edited=was.edited,
            ran=True,
            began=self._now,
            distance_before_m=driven_m,
            result=was.result,
            error_code=was.error_code,
            composites=was.composites,
            last_word=was.last_word,
        )
        lasted_s = max(self._saved.ros_s - was.pose.stamp, 0.0) if was.pose else 0.0
        persistent.recovery = Recovery(was.call_id, own, was.pose, lasted_s, began=was.ran)

    def _load_calls(self, calls: tuple[ServerCall, ...], leases: Mapping[str, str]) -> None:
        """Adds the calls; those whose server cannot be asked are lost at once."""
        persistent = self._persistent
        kept = persistent.recovery.call_id if persistent.recovery else ''
        adopted: list[str] = []
        for call in calls:
            is_kept = bool(kept) and is_of(call.call_id, kept)
            if call.ended:
                if is_kept:
                    persistent.calls.restore(call)
                continue
            ends = call.state in ENDING or not is_kept
            state = CallState.CANCEL_WANTED if ends else CallState.SENT
            limit_s = self._patience_s if ends and call.cancellable else call.limit_s
            persistent.calls.restore(replace(call, state=state, limit_s=limit_s))
            if call.goal_id and call.endpoint is not None:
                adopted.append(call.server_call_id)
            else:
                persistent.calls.apply(call.server_call_id, CallInput.LOSE, reason=RESTARTED)
        persistent.calls.leases.restore(leases)
        for call_id in {*leases.values(), *(call.call_id for call in calls)}:
            if not (kept and is_of(call_id, kept)):
                persistent.calls.finish_call(call_id)
        persistent.to_adopt = tuple(adopted)

    @property
    def _patience_s(self) -> float:
        """Returns how long to wait for the end of a call that is of no use any more, in s.

        This run has to find its server first.
        """
        settings = self._config.executive
        return max(settings.guards.server_wait_s, settings.sessions.cancel_timeout_s)

    def _close(self, approval: ApprovalPart) -> None:
        """Closes a request: an approval counts only for the run that made the request."""
        request = approval.request
        if request.tool in self._registry:
            ended = replace(request, asked_at=self._now.steady - request.expiry_s)
            self._persistent.approvals.restore(ended, RequestState.WITHDRAWN, RESTARTED.lower())


def _with_new_limit(was: ServerCall, now: Now) -> ServerCall:
    """Return the call with a new time limit, from now on."""
    return replace(
        was,
        started_at=now,
        counts_from=now,
        limit_s=was.timeout_s,
        cancel_sent_at=None,
        cancel_accepted=False,
        absent_since=None,
    )


def trace_resumed(persistent: PersistentState, tracer: Tracer) -> None:
    """Report in the trace what was resumed, if anything was."""
    saved = persistent.resumed
    if saved is None:
        return
    active, count = persistent.state.tasks.active, len(persistent.state.tasks.queue)
    how = saved.ended or 'ended abruptly'
    ends = ((each.get('data') or {}) for each in saved.ends)
    summaries = [(each.get('task_id'), each.get('goal_ended') or {}) for each in ends]
    tracer.emit(
        'OBSERVE',
        f'Resumed from the previous run ({saved.run}, {how}): {count} open '
        f'goal{"" if count == 1 else "s"}',
        data={
            'lives': {'this': persistent.run, 'before': saved.run_id},
            'goes_on': {'task_id': active.task_id, 'goal': active.goal} if active else None,
            'ended': [
                {'task_id': task, 'outcome': end.get('outcome'), 'answer': end.get('answer')}
                for task, end in summaries
            ],
        },
    )
