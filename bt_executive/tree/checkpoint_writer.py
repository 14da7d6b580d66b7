"""Writes the parts of the persistent state that a tick has changed into the store.

Behaviours change the state without regard to the store. Each part is compared with what was
written last, most of them by identity; so a tick that changes nothing writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bt_executive.approval.approval_registry import OPEN_STATES
from bt_executive.core.call_table import Transition, is_of
from bt_executive.core.goal_queue import Task
from bt_executive.core.modes import interrupted_by
from bt_executive.core.silent_servers import SilentServer
from bt_executive.core.store_port import GOAL, PROGRESS, Entry, Saved, Store
from bt_executive.core.stored_names import stored_fields
from bt_executive.core.trace import Tracer
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.persistent_state import (
    APPROVALS,
    CALLS,
    GOALS,
    LEASES,
    MODE,
    MOTION,
    ROUND,
    SILENT,
    STEPPING,
    ApprovalPart,
    CallPose,
    GoalsPart,
    Message,
    ModePart,
    MotionPart,
    PersistentState,
    ProgressPart,
    RoundPart,
    Step,
)
from bt_executive.tree.planning_round import Round
from rover_common.clocks import Now
from rover_common.dataclass_replace import replace
from rover_common.llm.model_usage import ModelUse
from rover_common.trace_event import TraceEvent

PROGRESS_S = 5.0  # of steady time: at most so much of a goal's use is lost

UNSEEN = object()


def _orphans(saved: Saved, queue: Iterable[Task]) -> Iterator[str]:
    """Yield the parts of goals that are not in the queue."""
    queued = {task.task_id for task in queue}
    for name in saved.parts:
        kind, slash, goal_id = name.partition('/')
        if f'{kind}{slash}' in (GOAL, PROGRESS) and goal_id not in queued:
            yield name


class CheckpointWriter:
    """Writes the checkpoints of one executive; used by the tick thread alone.

    What was resumed was loaded before the first tick, so all of it is put anew in the first one,
    except goals that are as they were. Parts of goals that are in no queue are deleted in it.
    """

    def __init__(self, store: Store, persistent: PersistentState, tracer: Tracer) -> None:
        self._store, self._persistent, self._tracer = store, persistent, tracer
        self._now = Now.at(0.0)
        self._entries: list[Entry] = []  # not put yet
        self._seen: dict[str, Any] = {}  # part → as it was put, or what it was made of
        self._state: Any = UNSEEN
        self._call_changes = -1
        self._round: Round | None = None  # that was put last
        self._round_pose: Any = None
        self._steps = {goal_id: len(done.history) for goal_id, done in self._in_progress().items()}
        self._progress_at = 0.0  # steady s
        self._pose: tuple[str, CallPose | None] = ('', None)  # call id, and where it began
        self._decision = persistent.state.react.decision
        self._goal = ''  # that was active when the tick before was over
        self._orphans: list[str] = []  # parts that an earlier version left behind
        if persistent.resumed is None:
            self._parts(at_end=True)  # what an executive begins with is no news
        else:  # the store has these, so those that end in the first tick are deleted
            self._seen[GOALS] = persistent.state.tasks.queue, UNSEEN, UNSEEN
            self._seen |= {PROGRESS + goal_id: UNSEEN for goal_id in self._steps}
            self._orphans += _orphans(persistent.resumed, persistent.state.tasks.queue)

    @property
    def store(self) -> Store:
        """The store to write to."""
        return self._store

    def begin_tick(self, now: Now) -> None:
        """Sets the time of the next checkpoints."""
        self._now = now

    def add_message(self, message: Message) -> None:
        """Adds a message to the conversation."""
        self._entries.append(Entry('MESSAGE', message, self._active_id))

    def put(self) -> int:
        """Writes the changes so far, within a tick; returns their ticket.

        What ends a goal is put at the end of its tick, together with the goal's last event.
        """
        return self._put(self._parts(at_end=False))

    def end_tick(self, all_progress: bool = False) -> None:
        """Writes the changes of the tick, and the events that the tracer has flushed."""
        parts = self._parts(at_end=True, all_progress=all_progress)
        self._add_events()
        self._put(parts)

    def _put(self, parts: dict[str, Any]) -> int:
        if parts or self._entries:
            entries, self._entries = self._entries, []
            return self._store.put(self._now, parts, entries)
        return self._store.latest

    def _parts(self, at_end: bool, all_progress: bool = False) -> dict[str, Any]:
        persistent = self._persistent
        parts: dict[str, Any] = dict.fromkeys(self._orphans)
        self._orphans.clear()
        self._put_goals(parts, at_end)
        self._put_calls(parts)
        self._put_round(parts)
        self._put_progress(parts, at_end, all_progress)
        if self._is_new(APPROVALS, persistent.approvals.changes):
            parts[APPROVALS] = self._approvals()
        if self._is_new(LEASES, persistent.calls.leases.changes):
            parts[LEASES] = dict(persistent.calls.leases.holders)
        silent = self._silent()
        if self._is_new(SILENT, silent):
            parts[SILENT] = silent
        may_move = self._may_move()
        if self._is_new(MOTION, may_move):
            parts[MOTION] = MotionPart(may_move)
        if self._is_new(STEPPING, persistent.stepping):
            parts[STEPPING] = persistent.stepping
        if persistent.state is not self._state:
            self._state = persistent.state
            mode = self._mode()
            if self._is_new(MODE, mode):
                parts[MODE] = ModePart(*mode)
            self._add_decision()
        return parts

    def _is_new(self, part: str, made_of: Any) -> bool:
        """Returns whether the sources of a part have changed since it was written."""
        if self._seen.get(part, UNSEEN) == made_of:
            return False
        self._seen[part] = made_of
        return True

    @property
    def _active_id(self) -> str:
        return self._persistent.state.tasks.active_task_id or ''

    def _put_goals(self, parts: dict[str, Any], at_end: bool) -> None:
        """Adds the queue, and each goal in it that is new or has changed.

        Within a tick, in which the active one may act, what has gone stays behind the others.
        """
        persistent = self._persistent
        tasks = persistent.state.tasks
        made_of = tasks.queue, tasks.active_task_id, persistent.clock_was
        before = self._seen.get(GOALS)
        if made_of == before:
            return
        was = {task.task_id: task for task in before[0]} if before else {}
        gone, queue = was.keys() - {task.task_id for task in tasks.queue}, tasks.queue
        if gone and not at_end:
            if tasks.active is None:
                return
            queue, gone = (*queue, *(was[each] for each in was if each in gone)), set()
        self._seen[GOALS] = queue, *made_of[1:]
        order = tuple(task.task_id for task in queue)
        parts[GOALS] = GoalsPart(order, tasks.active_task_id, persistent.clock_was)
        parts.update((GOAL + each.task_id, each) for each in queue)
        for task_id, task in was.items():
            if task_id in gone:
                parts[GOAL + task_id] = None
            elif parts[GOAL + task_id] is task:
                del parts[GOAL + task_id]

    def _mode(self) -> tuple[Any, ...]:
        state = self._persistent.state
        return (
            state.tasks.mode,
            state.tasks.preempt_reason,
            state.world.safety_reason,
            state.robot.battery_state,
            state.hci.user_interrupt,
            state.tasks.held_since,
            state.robot.sent_to_charge,
            interrupted_by(state),
        )

    def _put_calls(self, parts: dict[str, Any]) -> None:
        calls = self._persistent.calls
        if calls.changes == self._call_changes:
            return
        self._call_changes = calls.changes
        for transition in calls.drain():
            call = transition.call
            if call.quiet:  # repeated without end, and nobody goes on with it
                continue
            if transition.happened is None and is_of(call.call_id, self._persistent.round.call_id):
                self._note_pose(self._persistent.round.call_id)
            self._entries.append(self._call_entry(transition))
        of_round = self._persistent.round.call_id
        kept = (each for each in calls.all() if not each.quiet)
        calls_now = (each for each in kept if not each.ended or is_of(each.call_id, of_round))
        value = tuple(
            each if each.progress is None else replace(each, progress=None) for each in calls_now
        )
        if self._is_new(CALLS, value):
            parts[CALLS] = tuple(map(stored_fields, value))

    def _call_entry(self, transition: Transition) -> Entry:
        """Returns the entry of a transition; the first has the request, the last the response."""
        call, happened = transition.call, transition.happened
        value: dict[str, Any] = {
            'session_id': call.server_call_id,
            'label': call.label,
            'happened': happened.value if happened else 'open',
            'state': call.state.value,
        }
        if happened is None:
            value |= {'call_id': call.call_id, 'arguments': call.arguments}
            value |= {'idempotent': call.idempotent, 'allowed': self._allowed(call.call_id)}
        elif call.ended:
            value |= {'fields': call.fields, 'reason': call.reason}
        goal_id = self._active_id if is_of(call.call_id, self._persistent.round.call_id) else ''
        return Entry('CALL', value, goal_id)

    def _allowed(self, call_id: str) -> bool | None:
        """Returns whether the guards have allowed the round's tool; None: not asked."""
        this = self._persistent.round
        asked = this.verdict if is_of(call_id, this.call_id) else None
        return None if asked is None else asked.allowed

    def _note_pose(self, call_id: str) -> None:
        robot, driven_m = self._persistent.state.robot, self._persistent.progress.counted_m
        if self._pose[0] != call_id or self._pose[1] is None:
            here = robot.pose.planar
            pose = CallPose(here.x, here.y, here.yaw, robot.pose_stamp, driven_m)
            self._pose = call_id, None if robot.pose_at is None else pose

    def _put_round(self, parts: dict[str, Any]) -> None:
        this, recovery = self._persistent.round, self._persistent.recovery
        if this is self._round and self._pose is self._round_pose:
            return
        self._round, self._round_pose = this, self._pose
        pose = self._pose[1] if self._pose[0] == this.call_id else None
        if recovery is not None and recovery.call_id == this.call_id:
            pose = recovery.pose
        part = None
        has_ended = this.ended_at is not None  # a motion has a result when it has only begun
        if this.proposal is not None:
            part = RoundPart(
                call_id=this.call_id,
                proposal=this.proposal,
                attempt=this.attempt,
                edited=this.edited,
                by_tree=this.owed is not None,
                ran=this.ran,
                result=this.result if has_ended else None,
                error_code=this.error_code if has_ended else None,
                pose=pose,
                composites=this.composites,
                last_word=this.last_word,
            )
        if self._is_new(ROUND, part):
            parts[ROUND] = part

    def _approvals(self) -> tuple[ApprovalPart, ...]:
        entries = self._persistent.approvals.entries()
        return tuple(ApprovalPart(e.request, e.state) for e in entries if e.state in OPEN_STATES)

    def _silent(self) -> tuple[SilentServer, ...]:
        """Returns the silent servers, without what only this run knows of them."""
        servers = self._persistent.calls.silent.all()
        return tuple(replace(each, requested_at=None, responds=False) for each in servers)

    def _may_move(self) -> bool:
        """Returns whether a motion may be running; a prepared permit counts as given."""
        permits, stops = self._persistent.permits, self._persistent.stops
        given = bool(permits.current.number or permits.prepared.number)
        return given or stops.pending is not None or stops.owed

    def _in_progress(self) -> dict[str, GoalProgress]:
        """Returns goal → progress, of the active goal and the parked ones."""
        active = self._persistent.state.tasks.active_task_id
        return {
            **self._persistent.parked,
            **({active: self._persistent.progress} if active else {}),
        }

    def _put_progress(self, parts: dict[str, Any], at_end: bool, everything: bool) -> None:
        current, active, has_read = self._in_progress(), self._active_id, self._persistent.has_read
        if not (current or self._steps):
            return
        if at_end:
            for goal_id in self._steps.keys() - current.keys():
                del self._steps[goal_id]
                if self._seen.pop(PROGRESS + goal_id, None) is not None:
                    parts[PROGRESS + goal_id] = None
        for goal_id, progress in current.items():
            is_active = goal_id == active
            done = self._steps.get(goal_id, 0)
            for proposal, result in progress.history[done:]:
                self._entries.append(Entry('STEP', Step(proposal, result), goal_id))
            self._steps[goal_id] = len(progress.history)
            counts = progress.steps, progress.refusals, len(progress.history), is_active
            scores = progress.last_score, progress.last_is_good  # a member's ends no step
            made_of = *counts, *scores, has_read if is_active else None
            is_due = is_active and self._now.steady - self._progress_at >= PROGRESS_S
            if everything or is_due or self._seen.get(PROGRESS + goal_id) != made_of:
                self._seen[PROGRESS + goal_id] = made_of
                parts[PROGRESS + goal_id] = self._progress_part(progress, is_active)
                self._progress_at = self._now.steady if is_active else self._progress_at

    def _progress_part(self, progress: GoalProgress, is_active: bool) -> ProgressPart:
        spent = self._persistent.state.trace.metrics.get('model') if is_active else None
        return ProgressPart(
            steps=progress.steps,
            refusals=progress.refusals,
            distance_m=progress.counted_m,
            energy_pct=progress.energy_pct,
            elapsed_s=progress.usage(self._now).elapsed_s,
            tool=progress.tool,
            first_score=progress.first_score,
            last_score=progress.last_score,
            last_is_good=progress.last_is_good,
            model=ModelUse(**spent) if spent else progress.model,
            monitor=progress.monitor.as_data(),
            began_at=progress.began_at,
            has_read=self._persistent.has_read,
        )

    def _add_decision(self) -> None:
        decision = self._persistent.state.react.decision
        if decision is not self._decision:
            self._decision = decision
            self._entries.append(Entry('DECISION', decision, self._active_id or self._goal))

    def _add_events(self) -> None:
        goal = self._goal
        for event in self._tracer.drain():
            data = event.data or {}
            goal_id = str(data.get('task_id', goal))
            goal = goal_id if goal_id in (self._active_id, self._goal) else goal
            self._entries.append(Entry(event.kind, event, goal_id, _outcome(event)))
        self._goal = self._active_id


def _outcome(event: TraceEvent) -> str | None:
    summary = (event.data or {}).get('goal_ended')
    return str(summary['outcome']) if summary else None
