"""Look at the world: drain the inbox, freeze the state for this tick, arbitrate the mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_executive.core.modes import arbitrate
from bt_executive.core.battery import forgotten, why_lost, with_age
from bt_executive.core.calls import CallInput
from bt_executive.core.error_codes import CallError
from bt_executive.core.gauges import ChargeGauge
from bt_executive.core.inputs import (
    ANSWERED,
    REPEATABLE,
    ApprovalGiven,
    BatterySeen,
    GoalCancelled,
    GoalReceived,
    Input,
    ParametersSet,
    PauseRequested,
    PoseSeen,
    ReadinessSeen,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    SessionAnswer,
    StopRequested,
)
from bt_executive.core.journal import JournalFault
from bt_executive.core.observe import observe
from bt_executive.core.operator_commands import Utterance, recognise
from bt_executive.core.outcome import Outcome
from bt_executive.core.proposer import AGENT, OPERATOR
from bt_executive.core.queue import next_task
from bt_executive.core.readable import fields_in_words
from bt_executive.core.safety import standing_causes
from bt_executive.core.state import Task, UserInterruptType
from bt_executive.tree import goals
from bt_executive.tree.approval_answers import hear_approval
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.call_result import result_of
from bt_executive.tree.context import Context
from bt_executive.tree.drive_account import DriveAccount
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.readiness import (
    carry_over_deadlines,
    may_begin,
    stamp_early_goals,
    tell_unset_clock,
)
from bt_executive.tree.standing_watch import StandingWatch
from bt_executive.tree.target import distance_to_target, long_path
from bt_executive.tree.waiting_goals import WaitingGoals
from rover_common.process.threads import in_words
from rover_common.reason import Reason

INTERRUPTS: dict[str, type[StopRequested | PauseRequested | ResumeRequested]] = {
    'stop': StopRequested,
    'pause': PauseRequested,
    'resume': ResumeRequested,
}

SAME_STOP_S = 2.0  # a stop of the same source within this time is the same one


class Sense(Leaf[Context]):
    """Always succeeds. After it the state does not change for the rest of the tick's guards.

    Between two goals there is a tick without one, in which whatever the old one had running is
    ended: a new goal never finds its predecessor's tool in the tree.
    """

    def __init__(self, name: str, context: Context) -> None:
        super().__init__(name, context)
        self._adapter_heard = False
        self._adapter_life: str | None = None
        self._dropped = 0
        self._standing = StandingWatch()
        self._stop_told: StopRequested | None = None
        self._stop_told_at = 0.0  # steady
        self._alarmed = False  # a safety event has come in this tick
        self._journal_fault: JournalFault | None = None
        self._waiting = WaitingGoals()
        self._drives, self._charge = DriveAccount(context), ChargeGauge()

    def update(self) -> Status:
        """Takes every event of the inbox into the state."""
        context = self.context
        was_active = context.task is not None
        events = context.inbox.drain()
        self._look_at_journal()
        self._drives.pass_time(any(isinstance(event, PoseSeen) for event in events))
        fault = self._take_each(events)
        if fault is not None:
            raise fault
        self._watch()
        tell_unset_clock(context)
        stamp_early_goals(context)
        carry_over_deadlines(context)
        goals.end_overdue(context)
        held = arbitrate(context.state).preempt_reason
        if context.task is not None:
            (context.progress.hold if held else context.progress.go_on)(context.now)
        elif not was_active and not held and may_begin(context, next_task(context.state.tasks)):
            goals.begin_next(context)
        if context.waiting_again and may_begin(context, context.task):
            context.known.taken_over = ''
        self._set_mode()
        self._waiting.report(context, arbitrate(context.state))
        return self.success(context.state.tasks.mode.value)

    def take_last(self) -> None:
        """Takes what came before the inbox was closed, though no tick follows."""
        self._look_at_journal()
        fault = self._take_each(self.context.inbox.drain())
        if fault is not None:
            self._make_safe(in_words(fault))
        self._set_mode()

    def _take_each(self, events: Sequence[Input]) -> Exception | None:
        """Takes every event, whichever of them fails; returns the first fault."""
        self._alarmed = any(isinstance(event, SafetyEvent) for event in events)
        first = None
        for event in events:
            try:
                self._take(event)
            except Exception as fault:  # whatever it is, the others must not be lost by it
                first = first or fault
                try:
                    self._refuse(event, fault)
                except Exception as another:  # nobody can be told, then
                    self.context.tracer.emit('ERROR', in_words(another))
        return first

    def _refuse(self, event: Input, fault: Exception) -> None:
        """Tells whoever waits for an answer to an event that it could not be taken."""
        sentence = f'{type(event).__name__} could not be handled: {in_words(fault)}'
        self.context.tracer.emit('ERROR', sentence, ok=False, error_reason=sentence)
        if isinstance(event, ANSWERED):
            event.reply(False, sentence)
        elif isinstance(event, GoalReceived) and not self._is_queued(event.task):
            self._understood(event.task, sentence, 'failed')

    def _is_queued(self, task: Task) -> bool:
        return any(each.task_id == task.task_id for each in self.context.state.tasks.queue)

    def _look_at_journal(self) -> None:
        """Tells when it cannot be kept any more, and when it can again."""
        before, self._journal_fault = self._journal_fault, self.context.keeper.journal.fault()
        if self._journal_fault == before:
            return
        if self._journal_fault is None:
            self.context.tracer.emit('OBSERVE', 'The journal is kept again')
            return
        sentence = self._journal_fault.sentence
        self.context.tracer.emit('ERROR', f'Journal: {sentence}', ok=False, error_reason=sentence)

    def _take(self, event: Input) -> None:
        context = self.context
        if isinstance(event, SessionAnswer):
            self._take_answer(event)
        elif isinstance(event, ResetRequested):
            self._reset(event)
        elif isinstance(event, ApprovalGiven):
            hear_approval(context, event)
        elif isinstance(event, ParametersSet):
            context.reconfigure(event.values)
        elif isinstance(event, ReadinessSeen):
            context.readiness.hear(event.not_ready)
        elif isinstance(event, GoalCancelled):
            goals.cancel(context, event.task_id, event.reason)
        elif isinstance(event, GoalReceived):
            self._hear(event.task)
        else:
            if isinstance(event, (PoseSeen, BatterySeen)):
                self._measure(event)
            elif isinstance(event, SafetyEvent):
                context.tracer.emit('ERROR', f'Safety event from {event.source}: {event.reason}')
            elif isinstance(event, (PauseRequested, ResumeRequested, StopRequested)):
                self._tell_wish(event)
            context.state = observe(context.state, event, context.config)
            if isinstance(event, REPEATABLE):
                event.reply(True, '')

    def _tell_wish(self, event: PauseRequested | ResumeRequested | StopRequested) -> None:
        """Traces what is wanted; one stop comes by several ways at almost the same time."""
        now = self.context.now.steady
        is_same = event == self._stop_told and now < self._stop_told_at + SAME_STOP_S
        if isinstance(event, StopRequested):
            self._stop_told, self._stop_told_at = event, now
        if not is_same:
            word = type(event).__name__.removesuffix('Requested').lower()
            self.context.tracer.emit('OBSERVE', f'{word} wanted by {event.source}')

    def _hear(self, task: Task) -> None:
        """A goal's words may be an interrupt or an answer; what is not clearly one is a goal.

        An agent may stop and pause. It answers no question, and takes nothing of the operator's
        back: all else that it says is a goal, which waits for its turn.
        """
        utterance, by_agent = recognise(task.goal), task.sender != 'operator'
        hci = replace(self.context.state.hci, user_utterance=task.goal)
        self.context.replace(hci=hci)
        if by_agent and utterance.kind not in ('stop', 'pause'):
            self._queue(task)
        elif hci.question and not task.tool and self._may_answer(utterance):
            self.context.replace(hci=replace(hci, question='', answer=task.goal))
            self._understood(task, f'answer to: {hci.question}')
        elif task.tool or utterance.kind == 'normal':
            self._queue(task)
        elif utterance.kind == 'new_goal':
            active = self.context.task
            priority = max(task.priority, active.priority + 1 if active else 0)
            self._queue(replace(task, goal=utterance.text, priority=priority))
        else:
            self._take(INTERRUPTS[utterance.kind](AGENT if by_agent else OPERATOR))
            outcome: Outcome = 'interrupted' if utterance.kind == 'stop' else 'reached'
            self._understood(task, f'{utterance.kind}: understood', outcome)

    def _may_answer(self, utterance: Utterance) -> bool:
        """Whether words may be the answer to a question: "go on" is one unless a pause holds."""
        paused = self.context.state.hci.user_interrupt is UserInterruptType.PAUSE
        return utterance.kind == 'normal' or (utterance.kind == 'resume' and not paused)

    def _understood(self, task: Task, answer: str, outcome: Outcome = 'answered') -> None:
        now = self.context.now
        summary = GoalProgress(now).summary(task, outcome, answer, now, asks=True)
        self.context.reporter.ended(task, summary)

    def _queue(self, task: Task) -> None:
        tool = self.context.registry.get(task.tool)
        if tool is not None:
            task = replace(task, resources_required=tool.skill.resources_required)
        self.context.state = observe(self.context.state, GoalReceived(task), self.context.config)

    def _take_answer(self, answer: SessionAnswer) -> None:
        session = self.context.calls.get(answer.session_id)
        known = self.context.calls.apply(
            answer.session_id, answer.happened, answer.fields, answer.reason
        )
        speaks = self.context.calls.silent.heard(answer.session_id)
        if speaks is not None:
            self.context.tracer.emit('OBSERVE', f'{speaks.endpoint.name} answers again')
        elif not known:
            said = {
                'happened': answer.happened.value,
                'fields': dict(answer.fields),
                'reason': answer.reason,
            }
            message = f'Late answer dropped: {answer.session_id}'
            self.context.tracer.emit('OBSERVE', message, data={'late_answer': said})
        elif answer.happened is CallInput.PROGRESS and session and session.progress is None:
            self._tell_first_feedback(session.skill, answer)
        elif answer.happened is CallInput.SUCCEED:
            self._keep_last_word(answer.session_id)

    def _keep_last_word(self, session_id: str) -> None:
        """The round's tool is done, though it may be preempted before it can read that.

        A timed motion is not: its server has only begun it.
        """
        session, tool = self.context.calls.get(session_id), self.context.proposed_tool
        if session is None or tool is None or tool.skill.motion is not None:
            return
        if (session.call_id, session.skill) != (self.context.round.call_id, tool.name):
            return
        said = result_of(tool, session)
        if said.result.ok:
            self.context.round = replace(self.context.round, last_word=said.result)

    def _tell_first_feedback(self, name: str, answer: SessionAnswer) -> None:
        """What is ahead, such as the way's length; how it goes on stands in the tree."""
        tool = self.context.registry.get(name)
        words = fields_in_words(answer.fields, tool.skill.result.units if tool else {})
        if words:
            data = {'feedback': dict(answer.fields)}
            self.context.tracer.emit('OBSERVE', f'{name}: {words}', tool_name=name, data=data)
        why_long = long_path(self.context, answer.fields)
        if why_long:
            self.context.tracer.emit('OBSERVE', f'{name}: {why_long}', tool_name=name)

    def _measure(self, event: PoseSeen | BatterySeen) -> None:
        if isinstance(event, PoseSeen):
            self._drives.take(event)
            return
        energy_pct = self._charge.used(event.percent)
        if self.context.task is not None:
            self.context.progress.energy_pct += energy_pct

    def _causes(self) -> tuple[str, ...]:
        executive = self.context.config.executive
        causes = standing_causes(
            self.context.state, self.context.now, executive.safety, executive.guards
        )
        if self._journal_fault is None or executive.journal.on_fault != 'safe':
            return causes
        why = self._journal_fault.sentence.removesuffix('.')  # more words may follow
        return (*causes, f'the journal cannot be kept: {why}')

    def _reset(self, event: ResetRequested) -> None:
        causes = self._causes()
        if self._alarmed:  # whoever wants the reset cannot have known of it
            causes = (*causes, 'a safety event has just come')
        if causes:
            sentence = f'Not reset: {"; ".join(causes)}'
            self.context.tracer.emit('ERROR', sentence, ok=False, error_reason=sentence)
            event.reply(False, sentence)
            return
        context, remark = self.context, ''
        context.replace(world=replace(context.state.world, safety_reason=''))
        if context.state.robot.battery_state == 'LOST':
            remark = '; the charge of the battery is not known until a reading comes'
            context.replace(robot=forgotten(context.state.robot))
        context.tracer.emit('OBSERVE', f'Reset by {event.source}{remark}')
        event.reply(True, f'reset{remark}')

    def _watch(self) -> None:
        """Makes SAFE of causes that stand, and tells when the adapter comes or goes."""
        context = self.context
        causes = self._causes()
        if causes and not context.state.world.safety_reason:
            self._make_safe('; '.join(causes))
        self._watch_battery()
        self._watch_target()
        self._watch_life()
        self._standing.look(context)
        heard = context.adapter_alive()
        if heard and not self._adapter_heard:
            context.tracer.emit('OBSERVE', 'The adapter reports its status')
        self._adapter_heard = heard
        if context.inbox.dropped > self._dropped:
            context.tracer.emit(
                'ERROR', f'Inbox full: {context.inbox.dropped} events dropped so far'
            )
            self._dropped = context.inbox.dropped

    def _make_safe(self, reason: str) -> None:
        context = self.context
        context.tracer.emit('ERROR', f'Not safe: {reason}', ok=False, error_reason=reason)
        known = context.state.world.safety_reason
        if reason not in known:
            told = f'{known}; {reason}' if known else reason
            context.replace(world=replace(context.state.world, safety_reason=told))

    def _watch_battery(self) -> None:
        """Tells of a reading that is stale; one that was low and is lost makes SAFE."""
        context, executive = self.context, self.context.config.executive
        before = context.state.robot
        robot = with_age(before, context.now, executive)
        context.replace(robot=robot)
        if robot.battery_stale and not before.battery_stale:
            limit = executive.safety.battery_max_age_s
            message = (
                f'No reading of the battery for {limit:g} s: {robot.battery_pct:.0f} % is stale'
            )
            context.tracer.emit('ERROR', message)
        lost = why_lost(robot, executive.battery.lost_after_s)
        if lost is not None and robot.battery_state != before.battery_state:
            self._make_safe(lost)

    def _watch_target(self) -> None:
        """How far it is to where the tool under way drives to."""
        robot = self.context.state.robot
        left = distance_to_target(self.context)
        if left != robot.distance_to_target:
            self.context.replace(robot=replace(robot, distance_to_target=left))

    def _watch_life(self) -> None:
        """An adapter that was restarted has stopped the robot and forgotten what it was doing."""
        context = self.context
        life, before = context.state.robot.adapter_life, self._adapter_life
        self._adapter_life = life or before
        if before is None or life is None or life == before:
            return
        reason = 'The adapter was restarted; what it was doing is lost'
        context.tracer.emit('ERROR', reason, ok=False, error_reason=reason)
        names = {endpoint.name for _, endpoint in context.config.topics.adapter}
        for session in context.calls.running():
            if session.endpoint is not None and session.endpoint.name in names:
                context.calls.apply(session.session_id, CallInput.LOSE, reason=reason)
        if context.round.asked is not None and context.round.under_way:
            context.round = replace(context.round, cut_short=Reason(CallError.LOST, reason))

    def _set_mode(self) -> None:
        context = self.context
        arbitration = arbitrate(context.state)
        tasks = context.state.tasks
        before, after = tasks.mode, arbitration.mode
        reason = arbitration.preempt_reason
        preempts = bool(reason) and tasks.active is not None
        if (before, tasks.preempt_reason, tasks.preempt_flag) != (after, reason, preempts):
            goes_on = before is after and tasks.held_since
            since = (tasks.held_since if goes_on else context.now.ros) if reason else 0.0
            context.replace(
                tasks=replace(
                    tasks,
                    mode=after,
                    preempt_flag=preempts,
                    preempt_reason=reason,
                    held_since=since,
                )
            )
        if before is not after:
            because = f' ({reason})' if reason else ''
            context.tracer.emit('OBSERVE', f'Mode {before.value} → {after.value}{because}')
