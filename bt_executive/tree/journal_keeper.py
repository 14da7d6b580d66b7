"""Puts into the journal what has become true: it compares what is known with what it saw last.

Behaviours change what is known and need not think of the journal. Three things that leave nothing
in what is known are handed over instead (`put`): how a round and a goal have ended, and what was
said. Before any of them, whatever has become true by then is put, so the order is the true one.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.approval.registry import Entry, Standing
from bt_executive.core import journal_records as kinds
from bt_executive.core.call_table import ServerCall, Transition
from bt_executive.core.calls import TERMINAL, CallState
from bt_executive.core.journal import Journal
from bt_executive.core.journal_records import Record
from bt_executive.core.proposer import Proposer, proposer_in
from bt_executive.core.queue import order
from bt_executive.core.state import BrainState, Task, TasksState
from bt_executive.core.verdict import Verdict
from bt_executive.journal.tasks import goal_received
from bt_executive.tree.known import Known
from bt_executive.tree.round import Round
from rover_common.clocks import Now
from rover_common.permit import NO_PERMIT, Permit

BUDGET_S = 5.0  # of steady time: at most so much of a goal's use is lost


class JournalKeeper:
    """One per executive, touched by the tick thread alone."""

    def __init__(self, journal: Journal, known: Known) -> None:
        self._journal, self._known = journal, known
        self._now = Now.at(0.0)
        self._ticket = self._told_at = 0
        self._event = ''
        self._tasks: dict[str, Task] = {}
        self._queue: tuple[Task, ...] = ()
        self._round = Round('none')
        self._judged: Verdict | None = None
        self._permit = Permit()
        self._mode = _mode_of(known.state)  # what an executive begins with is no news
        self._state: BrainState | None = None
        self._budget_at = 0.0
        self._budget_of: tuple[str, bool] | None = None  # the goal, and whether words were read
        self._stop: ServerCall | None = None  # the latest one of the base, until it is confirmed

    @property
    def journal(self) -> Journal:
        """Where to."""
        return self._journal

    def begin_tick(self, now: Now) -> None:
        """The time of what is put from now on."""
        self._now = now

    def know(self, tasks: TasksState) -> None:
        """These goals stand in the journal already."""
        self._queue = tasks.queue
        self._tasks = {task.task_id: task for task in tasks.queue}

    def know_round(self, this: Round) -> None:
        """This round stands in the journal already."""
        self._round = this

    def put(self, record: Record) -> int:
        """Puts a record behind what has become true before it; returns its ticket."""
        self.look()
        return self._put(record)

    def look(self) -> int:
        """Puts what has become true since the last look; returns the latest ticket."""
        known = self._known
        if known.state.tasks.queue is not self._queue:
            self._put_all(self._goals(known.state.tasks))
        if known.round is not self._round:
            self._put_all(self._of_round(known.round))
        for entry in known.approvals.take_news():
            self._put(_approval(entry))
        for call_id, resources, held in known.calls.leases.take_news():
            self._put(self._lease(call_id, resources, held))
        if known.permits.current != self._permit or known.permits.foreseen.number:
            self._put_all(self._permits())
        for transition in known.calls.take_news():
            if not transition.session.quiet:  # repeated without end, and no life goes on with it
                self._put(self._call(transition))
        if self._stop is not None and known.stops.pending is None:
            self._put(self._stop_confirmed(self._stop))
        if known.state is not self._state:
            self._put_all(self._modes(known.state))
        return self._ticket

    def end_tick(self, latest_event: str) -> None:
        """A tick is over; `latest_event`: the id of the trace's latest one."""
        if self._budget_is_due():
            self.put_budget()
        if self.look() != self._told_at and latest_event != self._event:
            self._event = latest_event
            self._put(kinds.TraceReference(goal_id=self._goal_id, event_id=latest_event))
        self._told_at = self._ticket

    def put_budget(self) -> None:
        """Puts what the active goal has used so far."""
        task, progress = self._known.state.tasks.active, self._known.progress
        if task is None:
            return
        self._budget_at = self._now.steady
        self._budget_of = (task.task_id, self._known.has_read)
        model = self._known.state.trace.metrics.get('model') or progress.model.as_data()
        self.put(
            kinds.BudgetUsed(
                goal_id=task.task_id,
                steps=progress.steps,
                refusals=progress.refusals,
                distance_m=progress.counted_m,
                energy_pct=progress.energy_pct,
                elapsed_s=progress.usage(self._now).elapsed_s,
                tool=progress.tool,
                first_score=progress.first_score,
                last_score=progress.last_score,
                last_is_good=progress.last_is_good,
                model=dict(model),
                monitor={
                    **progress.monitor.as_data(),
                    'began_at': progress.began_at,
                    'has_read': self._known.has_read,
                },
            )
        )

    def _budget_is_due(self) -> bool:
        """Return True every `BUDGET_S`, when a goal begins, and when words were read."""
        task = self._known.state.tasks.active
        if task is None:
            return False
        is_news = self._budget_of != (task.task_id, self._known.has_read)
        return is_news or self._now.steady - self._budget_at >= BUDGET_S

    # --- what has become true --------------------------------------------------------------------

    def _put(self, record: Record) -> int:
        self._ticket = self._journal.put(self._now, record)
        return self._ticket

    def _put_all(self, records: Iterator[Record]) -> None:
        for record in records:
            self._put(record)

    def _goals(self, tasks: TasksState) -> Iterator[Record]:
        before, self._queue = self._tasks, tasks.queue
        self._tasks = {task.task_id: task for task in tasks.queue}
        for task in tasks.queue:
            was = before.get(task.task_id)
            if was is task:
                continue
            received = goal_received(task)
            if was is None or received != goal_received(was):
                yield received
            if was is None or _place(was) != _place(task):
                yield _moved(task, tasks)

    def _of_round(self, this: Round) -> Iterator[Record]:
        before, self._round = self._round, this
        goal_id, proposal = self._goal_id, this.proposal
        if proposal is None:
            return
        again = this.call_id == before.call_id
        if not again:
            self._judged = None
        if not again or proposal is not before.proposal:
            yield kinds.Proposed(
                goal_id=goal_id,
                call_id=this.call_id,
                attempt=this.attempt,
                proposed_by=self._proposed_by(this),
                proposal_id=proposal.call_id,
                tool=proposal.tool,
                arguments=proposal.arguments,
                thought=proposal.thought,
                edited=this.edited,
            )
        verdict = this.verdict
        if verdict is not None and not _same(verdict, self._judged):
            self._judged = verdict
            yield _judged(goal_id, this.call_id, verdict)

    def _proposed_by(self, this: Round) -> Proposer:
        if this.owed is not None:
            return 'tree'
        return proposer_in(self._known.state.tasks.active)

    @property
    def _goal_id(self) -> str:
        return self._known.state.tasks.active_task_id or ''

    def _of_call(self, call_id: str) -> str:
        """The goal to which a call belongs; the tree's own calls and stops belong to none."""
        return self._goal_id if call_id == self._known.round.call_id else ''

    def _lease(self, call_id: str, resources: tuple[str, ...], held: bool) -> Record:
        return kinds.LeaseChanged(
            goal_id=self._of_call(call_id), call_id=call_id, resources=resources, held=held
        )

    def _permits(self) -> Iterator[Record]:
        """What is foreseen counts as given: that it may be given must be known before it is."""
        permits = self._known.permits
        before, permit = self._permit, permits.foreseen
        if not permit.number:
            permit = permits.current
        if permit == before:
            return
        self._permit = permit
        for each, given in ((before, False), (permit, True)):
            if each != NO_PERMIT:
                yield kinds.PermitChanged(motion=each.motion, number=each.number, given=given)

    def _call(self, transition: Transition) -> Record:
        session, happened = transition.session, transition.happened
        goal_id = self._of_call(session.call_id)
        if happened is not None:
            return kinds.CallChanged(
                goal_id=goal_id,
                session_id=session.session_id,
                happened=happened.value,
                state=session.state.value,
                fields=session.fields if session.state in TERMINAL else None,
                reason=session.reason,
            )
        endpoint = session.endpoint
        if endpoint is None:
            self._stop = session
        return kinds.CallOpened(
            goal_id=goal_id,
            session_id=session.session_id,
            call_id=session.call_id,
            label=session.label,
            skill=session.skill,
            endpoint=endpoint.model_dump() if endpoint else None,
            arguments=session.arguments,
            action_id=session.goal_id,
            idempotent=session.idempotent,
            cancellable=session.cancellable,
            quiet=session.quiet,
            timeout_s=session.timeout_s,
            pose=self._pose(),
        )

    def _stop_confirmed(self, stop: ServerCall) -> Record:
        self._stop = None
        return kinds.CallChanged(
            goal_id=self._of_call(stop.call_id),
            session_id=stop.session_id,
            happened=kinds.STANDS,
            state=CallState.SUCCEEDED.value,
        )

    def _pose(self) -> kinds.Json | None:
        robot, driven_m = self._known.state.robot, self._known.progress.counted_m
        if robot.pose_at is None:
            return None
        planar = vars(robot.pose.planar)
        return {**planar, 'stamp': robot.pose_stamp, 'driven_m': driven_m}

    def _modes(self, state: BrainState) -> Iterator[Record]:
        self._state, mode = state, _mode_of(state)
        if mode != self._mode:
            self._mode = mode
            yield kinds.ModeChanged(
                mode=mode[0],
                reason=mode[1],
                safety_reason=mode[2],
                battery_state=mode[3],
                interrupt=mode[4],
            )


def _mode_of(state: BrainState) -> tuple[str, str, str, str, str]:
    tasks = state.tasks
    return (
        *(tasks.mode.value, tasks.preempt_reason, state.world.safety_reason),
        *(state.robot.battery_state, state.hci.user_interrupt.value),
    )


def _place(task: Task) -> tuple[str, tuple[str, ...]]:
    return task.status, task.resources_required


def _moved(task: Task, tasks: TasksState) -> Record:
    status: kinds.TaskStatus = (
        'ACTIVE' if task.status == 'ACTIVE' else 'PARKED' if task.status == 'PARKED' else 'PENDING'
    )
    own = order(task)
    before = sum(1 for each in tasks.queue if each is not task and order(each) < own)
    return kinds.GoalMoved(
        goal_id=task.task_id,
        status=status,
        position=before,
        resources=task.resources_required,
    )


def _same(verdict: Verdict, before: Verdict | None) -> bool:
    """Whether it refuses like the one that was put: guards that wait say so at every tick."""
    if verdict is before or before is None or verdict.allowed:
        return verdict is before
    return (verdict.tool, verdict.reason) == (before.tool, before.reason)


def _judged(goal_id: str, call_id: str, verdict: Verdict) -> Record:
    refusal = verdict.refusal
    return kinds.Judged(
        goal_id=goal_id,
        call_id=call_id,
        tool=verdict.tool,
        allowed=verdict.allowed,
        guard=refusal.guard if refusal else '',
        reason=verdict.reason,
        readings=tuple(
            {
                'guard': each.guard,
                'code': each.code.name.lower(),
                'reason': each.reason,
                'seen': each.seen,
            }
            for each in verdict.readings
        ),
        allowed_now=verdict.allowed_now,
    )


def _approval(entry: Entry) -> Record:
    request, answer = entry.request, entry.answer
    if entry.standing is Standing.WAITING:
        return kinds.ApprovalAsked(
            goal_id=request.task_id,
            request_id=request.request_id,
            call_id=request.call_id,
            tool=request.tool,
            arguments=request.arguments,
            amounts_to=request.amounts_to,
            reason=request.reason,
            risk=request.risk,
            expiry_s=request.expiry_s,
            facts=request.facts,
        )
    return kinds.ApprovalChanged(
        goal_id=request.task_id,
        request_id=request.request_id,
        standing=entry.standing.name.lower(),
        arguments=entry.arguments,
        action=answer.action if answer else '',
        word=answer.word if answer else '',
        source=answer.source if answer else '',
        why=entry.why,
    )
