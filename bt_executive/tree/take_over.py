"""What the lives before have left open becomes what is known: once, before the first tick's tree.

Goals come back in their order, with what they have used and come to; SAFE, the low battery and
the operator's pause stay. A proposal whose tool had not been started stands, and is checked and
asked for again. What a tool that had been started has come to is found out by `RecoverCall`;
nothing is sent again here or there. What may still move is stopped by `ConfirmStop`. Requests for
approval are closed, and so are calls whose server nobody can ask any more.
"""

from __future__ import annotations

from dataclasses import replace

from bt_executive.approval.registry import Standing
from bt_executive.approval.request import ApprovalRequest
from bt_executive.core.call_table import ServerCall
from bt_executive.core.calls import ENDING, CallInput, CallState
from bt_executive.core.journal_records import Record
from bt_executive.core.leases import Leases
from bt_executive.core.ports import Proposal
from bt_executive.core.progress import ProgressMonitor
from bt_executive.core.state import HCIState, Mode, Task, UserInterruptType
from bt_executive.journal.past import OpenApproval, OpenCall, OpenGoal, OpenRound, Past
from bt_executive.journal.rows import Entry
from bt_executive.tree.context import Context
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.recovery import Recovery
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint
from rover_common.llm.usage import ModelUse

RESTARTED = 'The executive was restarted'


def take_over(context: Context) -> None:
    """Takes up what is open; nothing, if it has been done or there is nothing."""
    known = context.known
    past, known.past = known.past, None
    if past is None:
        return
    how = f'ended: {past.ended}' if past.ended else 'did not end in order'
    count = len(past.goals)
    goals = f'{count} goal{"" if count == 1 else "s"}'
    context.tracer.emit(
        'OBSERVE',
        f'Life {known.life} goes on where life {past.life.life} left off, which {how}: {goals}',
        data={
            'lives': {'this': known.life, 'before': past.life.record.run_id},
            'goes_on': _in_words(past.active),
            'ended': [
                {'task_id': each.goal_id, 'outcome': each.outcome, 'answer': each.answer}
                for each in past.ends
            ],
        },
    )
    known.clock_was = {goal.task.task_id: _last_heard(past, goal) for goal in past.goals}
    _take_mode(context, past)
    _take_goals(context, past)
    _take_calls(context, past)
    known.stops.owed = past.may_move
    for request in past.approvals:
        _close_request(context, request)


def _in_words(goal: OpenGoal | None) -> dict[str, str] | None:
    """The goal that is pursued again, for readers of the trace."""
    return {'task_id': goal.task.task_id, 'goal': goal.task.goal} if goal else None


def _last_heard(past: Past, goal: OpenGoal) -> float:
    """ROS time in s of the latest entry since the goal's times were entered.

    What an earlier life has entered may be of a clock that has begun anew since.
    """
    entries: list[Entry[Record] | None] = [past.life, past.mode]
    for each in past.goals:
        entries += (each.received, each.moved, each.budget)
    since = goal.received.life
    return max(each.at.ros_s for each in entries if each is not None and each.life >= since)


def _take_mode(context: Context, past: Past) -> None:
    messages = tuple({'role': each.role, 'content': each.content} for each in past.messages)
    context.replace(messages=messages)
    if past.mode is None:
        return
    mode, state = past.mode.record, context.state
    wanted = UserInterruptType(mode.interrupt)
    hci = HCIState(user_interrupt=wanted, interrupt_payload={'source': 'the operator, before'})
    robot = replace(state.robot, battery_state=mode.battery_state)
    if mode.battery_state == 'LOW':  # how low is not known, and for how long it may stay so is
        low = context.config.executive.battery.low_pct
        robot = replace(robot, battery_pct=low, battery_at=context.now.steady)
    held_since = min(past.mode.at.ros_s, context.now.ros) if mode.reason else 0.0
    context.replace(
        tasks=replace(state.tasks, mode=Mode(mode.mode), held_since=held_since),
        world=replace(state.world, safety_reason=mode.safety_reason),
        hci=hci if wanted is not UserInterruptType.NONE else state.hci,
        robot=robot if mode.battery_state in ('LOW', 'LOST') else state.robot,
    )


def _take_goals(context: Context, past: Past) -> None:
    queue = tuple(_with_resources(context, goal.task) for goal in past.goals)
    active = past.active
    active_id = active.task.task_id if active else None
    tasks = replace(context.state.tasks, queue=queue, active_task_id=active_id)
    context.replace(tasks=tasks)
    context.keeper.know(tasks)
    for goal in past.goals:
        progress = _progress(goal, context.now)
        if not goal.task.tool and (goal.history or goal.round is not None):
            kept = goal.budget.record.monitor if goal.budget else {}
            context.note_restored(goal.history, was_told=bool(kept.get('has_read', True)))
        if goal is active:
            context.progress = progress
        elif goal.budget is not None:
            context.parked[goal.task.task_id] = progress
    if active is None:
        return
    context.known.taken_over = active.task.task_id
    context.progress.go_on(context.now)
    model = {'model': context.progress.model.as_data()}
    context.replace(
        react=replace(context.state.react, iter=context.progress.steps),
        trace=replace(context.state.trace, metrics=model),
    )
    if active.round is not None:
        _take_round(context, active.round)


def _with_resources(context: Context, task: Task) -> Task:
    """The task; one that never moved has those of its tool, as when it came."""
    tool = context.registry.get(task.tool)
    if tool is None or task.resources_required:
        return task
    return replace(task, resources_required=tool.skill.resources_required)


def _progress(goal: OpenGoal, now: Now) -> GoalProgress:
    """What a goal had used and come to. The time without an executive does not count."""
    used = goal.budget.record if goal.budget else None
    if used is None:
        return GoalProgress(started_at=now, history=list(goal.history))
    progress = GoalProgress(
        started_at=now.later(-used.elapsed_s, -used.elapsed_s),
        steps=used.steps,
        refusals=used.refusals,
        tool=used.tool,
        distance_m=used.distance_m,
        energy_pct=used.energy_pct,
        first_score=used.first_score,
        last_score=used.last_score,
        last_is_good=used.last_is_good,
        model=ModelUse(**used.model),
        monitor=ProgressMonitor.from_data(used.monitor),
        history=list(goal.history),
        began_at=tuple((x, y) for x, y in used.monitor.get('began_at', ())),
    )
    progress.hold(now)
    return progress


def _take_round(context: Context, before: OpenRound) -> None:
    asked = before.proposed.record
    proposal = Proposal(asked.proposal_id, asked.tool, asked.arguments, asked.thought)
    if asked.proposed_by == 'tree':
        return  # a question of the tree's own: the planner goes on without it
    if not before.began:
        if asked.proposed_by == 'planner' and asked.tool in context.registry:
            context.new_round(asked.attempt, proposal, edited=asked.edited)
        return
    sessions = tuple(each.opened.record.session_id for each in before.calls)
    recovery = Recovery(asked.call_id, before.calls, sessions)
    driven_m = context.progress.distance_m
    context.round = replace(
        context.round,
        call_id=asked.call_id,
        output=proposal,
        attempt=asked.attempt,
        edited=asked.edited,
        ran=True,
        began=context.now,
        distance_before_m=(recovery.pose or {}).get('driven_m', driven_m),
    )
    context.known.recovery = recovery
    context.keeper.know_round(context.round)


def _take_calls(context: Context, past: Past) -> None:
    """Enters the open calls as under way; those that cannot be asked about are lost at once."""
    known = context.known
    kept = known.recovery.call_id if known.recovery else ''
    adopted: list[str] = []
    for call in past.calls:
        session = _session(call, call.opened.record.call_id == kept, context.now)
        known.calls.take_over(session)
        if session.goal_id and session.endpoint is not None:
            adopted.append(session.session_id)
        else:
            known.calls.apply(session.session_id, CallInput.LOSE, reason=RESTARTED)
        if session.call_id != kept:
            known.calls.finish_call(session.call_id)
    _take_leases(known.calls.leases, past)
    for call_id in past.leases:
        if call_id != kept:
            known.calls.finish_call(call_id)
    known.to_adopt = tuple(adopted)


def _session(call: OpenCall, wanted: bool, now: Now) -> ServerCall:
    """The call as one whose server is asked anew. One that nobody wants is to be ended."""
    was = call.opened.record
    ends = call.state in ENDING or not wanted
    return ServerCall(
        session_id=was.session_id,
        call_id=was.call_id,
        label=was.label,
        started_at=now,
        timeout_s=was.timeout_s,
        counts_from=now,
        limit_s=was.timeout_s,
        skill=was.skill,
        endpoint=Endpoint(**was.endpoint) if was.endpoint else None,
        cancellable=was.cancellable,
        arguments=was.arguments,
        goal_id=was.action_id,
        idempotent=was.idempotent,
        state=CallState.CANCEL_WANTED if ends else CallState.SENT,
    )


def _take_leases(leases: Leases, past: Past) -> None:
    for call_id, resources in past.leases.items():
        leases.take_over(call_id, resources)


def _close_request(context: Context, request: OpenApproval) -> None:
    """A human's answer counts for the life that asked: what is wanted now is asked again."""
    asked = request.asked.record
    if asked.tool not in context.registry:
        return
    goal = next((t for t in context.state.tasks.queue if t.task_id == asked.goal_id), None)
    closed = ApprovalRequest(
        request_id=asked.request_id,
        task_id=asked.goal_id,
        task=goal.goal if goal else '',
        tool=asked.tool,
        arguments=asked.arguments,
        reason=asked.reason,
        risk=asked.risk,
        created_at=request.asked.at.ros_s,
        asked_at=context.now.steady - asked.expiry_s,
        expiry_s=asked.expiry_s,
        facts=asked.facts,
        amounts_to=asked.amounts_to,
        call_id=asked.call_id,
    )
    context.approvals.remember(closed, Standing.WITHDRAWN, RESTARTED.lower())
