"""Look at the world: drain the inbox, freeze the state for this tick, arbitrate the mode."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.arbitration import arbitrate
from bt_executive.core.battery import forgotten, why_lost, with_age
from bt_executive.core.calls import SessionInput
from bt_executive.core.gauges import ChargeGauge, Odometer
from bt_executive.core.inbox import (
    ApprovalGiven,
    BatterySeen,
    Event,
    GoalCancelled,
    GoalReceived,
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
from bt_executive.core.observe import observe
from bt_executive.core.operator_commands import recognise
from bt_executive.core.queue import next_task
from bt_executive.core.readable import fields_in_words
from bt_executive.core.safety import standing_causes
from bt_executive.core.state import Outcome, Task
from bt_executive.tree import goals
from bt_executive.tree.approval_answers import hear_approval
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Brain, Progress
from bt_executive.tree.readiness import may_begin, stamp_early_goals
from bt_executive.tree.target import distance_to_target

INTERRUPTS: dict[str, type[StopRequested | PauseRequested | ResumeRequested]] = {
    'stop': StopRequested,
    'pause': PauseRequested,
    'resume': ResumeRequested,
}


class LookAtTheWorld(Leaf):
    """Always succeeds. After it the state does not change for the rest of the tick's guards.

    Between two goals there is a tick without one, in which whatever the old one had running is
    ended: a new goal never finds its predecessor's tool in the tree.
    """

    def __init__(self, name: str, brain: Brain) -> None:
        super().__init__(name, brain)
        self._adapter_heard = False
        self._adapter_life: str | None = None
        self._dropped = 0
        self._alarmed = False  # a safety event has come in this tick
        self._odometer, self._charge = Odometer(), ChargeGauge()

    def update(self) -> Status:
        """Takes every event of the inbox into the state."""
        brain = self.brain
        was_active = brain.task is not None
        events = brain.inbox.drain()
        self._alarmed = any(isinstance(event, SafetyEvent) for event in events)
        for event in events:
            self._take(event)
        self._watch()
        stamp_early_goals(brain)
        goals.end_overdue(brain)
        held = arbitrate(brain.state).preempt_reason
        if brain.task is not None:
            (brain.progress.hold if held else brain.progress.go_on)(brain.now)
        elif not was_active and not held and may_begin(brain, next_task(brain.state.tasks)):
            goals.begin_next(brain)
        self._set_mode()
        return self.success(brain.state.tasks.mode.value)

    def _take(self, event: Event) -> None:
        brain = self.brain
        if isinstance(event, SessionAnswer):
            self._take_answer(event)
        elif isinstance(event, ResetRequested):
            self._reset(event)
        elif isinstance(event, ApprovalGiven):
            hear_approval(brain, event)
        elif isinstance(event, ParametersSet):
            brain.reconfigure(event.values)
        elif isinstance(event, ReadinessSeen):
            brain.readiness.hear(event.parts)
        elif isinstance(event, GoalCancelled):
            goals.cancel(brain, event.task_id, event.reason)
        elif isinstance(event, GoalReceived):
            self._hear(event.task)
        else:
            if isinstance(event, (PoseSeen, BatterySeen)):
                self._measure(event)
            elif isinstance(event, SafetyEvent):
                brain.tracer.emit('ERROR', f'Safety event from {event.source}: {event.reason}')
            elif isinstance(event, (PauseRequested, ResumeRequested, StopRequested)):
                word = type(event).__name__.removesuffix('Requested').lower()
                brain.tracer.emit('OBSERVE', f'{word} wanted by {event.source}')
            brain.state = observe(brain.state, event, brain.config)

    def _hear(self, task: Task) -> None:
        """A goal's words may be an interrupt or an answer; what is not clearly one is a goal."""
        utterance = recognise(task.goal)
        hci = replace(self.brain.state.hci, user_utterance=task.goal)
        self.brain.replace(hci=hci)
        if hci.question and not task.tool and utterance.kind == 'normal':
            self.brain.replace(hci=replace(hci, question='', answer=task.goal))
            self._understood(task, f'answer to: {hci.question}')
        elif task.tool or utterance.kind == 'normal':
            self._queue(task)
        elif utterance.kind == 'new_goal':
            active = self.brain.task
            priority = max(task.priority, active.priority + 1 if active else 0)
            self._queue(replace(task, goal=utterance.text, priority=priority))
        else:
            self._take(INTERRUPTS[utterance.kind]('the operator'))
            outcome: Outcome = 'interrupted' if utterance.kind == 'stop' else 'reached'
            self._understood(task, f'{utterance.kind}: understood', outcome)

    def _understood(self, task: Task, answer: str, outcome: Outcome = 'reached') -> None:
        summary = Progress(self.brain.now).summary(task, outcome, answer, self.brain.now)
        self.brain.reporter.ended(task, summary)

    def _queue(self, task: Task) -> None:
        tool = self.brain.registry.get(task.tool)
        if tool is not None:
            task = replace(task, resources_required=tool.skill.resources_required)
        self.brain.state = observe(self.brain.state, GoalReceived(task), self.brain.config)

    def _take_answer(self, answer: SessionAnswer) -> None:
        session = self.brain.book.get(answer.session_id)
        known = self.brain.book.apply(
            answer.session_id, answer.happened, answer.fields, answer.reason
        )
        if not known:
            message = f'Late answer dropped: {answer.session_id} {answer.happened.value}'
            self.brain.tracer.emit('OBSERVE', message)
        elif answer.happened is SessionInput.PROGRESS and session and session.progress is None:
            self._tell_first_feedback(session.skill, answer)

    def _tell_first_feedback(self, name: str, answer: SessionAnswer) -> None:
        """What is ahead, such as the way's length; how it goes on stands in the tree."""
        tool = self.brain.registry.get(name)
        words = fields_in_words(answer.fields, tool.skill.result.units if tool else {})
        if words:
            data = {'feedback': dict(answer.fields)}
            self.brain.tracer.emit('OBSERVE', f'{name}: {words}', tool_name=name, data=data)

    def _measure(self, event: PoseSeen | BatterySeen) -> None:
        distance_m = energy_pct = 0.0
        if isinstance(event, BatterySeen):
            energy_pct = self._charge.used(event.percent)
        else:
            distance_m = self._odometer.driven(event.x, event.y, event.stamp)
        if self.brain.task is not None:
            self.brain.progress.distance_m += distance_m
            self.brain.progress.energy_pct += energy_pct

    def _causes(self) -> tuple[str, ...]:
        executive = self.brain.config.executive
        return standing_causes(
            self.brain.state, self.brain.now, executive.safety, executive.guards
        )

    def _reset(self, event: ResetRequested) -> None:
        causes = self._causes()
        if self._alarmed:  # whoever wants the reset cannot have known of it
            causes = (*causes, 'a safety event has just come')
        if causes:
            sentence = f'Not reset: {"; ".join(causes)}'
            self.brain.tracer.emit('ERROR', sentence, ok=False, error_reason=sentence)
            event.reply(False, sentence)
            return
        brain, remark = self.brain, ''
        brain.replace(world=replace(brain.state.world, safety_reason=''))
        if brain.state.robot.battery_state == 'LOST':
            remark = '; the charge of the battery is not known until a reading comes'
            brain.replace(robot=forgotten(brain.state.robot))
        brain.tracer.emit('OBSERVE', f'Reset by {event.source}{remark}')
        event.reply(True, f'reset{remark}')

    def _watch(self) -> None:
        """Makes SAFE of causes that stand, and tells when the adapter comes or goes."""
        brain = self.brain
        causes = self._causes()
        if causes and not brain.state.world.safety_reason:
            self._make_safe('; '.join(causes))
        self._watch_battery()
        self._watch_target()
        self._watch_life()
        heard = brain.adapter_alive()
        if heard and not self._adapter_heard:
            brain.tracer.emit('OBSERVE', 'The adapter reports its status')
        self._adapter_heard = heard
        if brain.inbox.dropped > self._dropped:
            brain.tracer.emit('ERROR', f'Inbox full: {brain.inbox.dropped} events dropped so far')
            self._dropped = brain.inbox.dropped

    def _make_safe(self, reason: str) -> None:
        brain = self.brain
        brain.tracer.emit('ERROR', f'Not safe: {reason}', ok=False, error_reason=reason)
        reasons = [each for each in (brain.state.world.safety_reason, reason) if each]
        brain.replace(world=replace(brain.state.world, safety_reason='; '.join(reasons)))

    def _watch_battery(self) -> None:
        """Tells of a reading that is stale; one that was low and is lost makes SAFE."""
        brain, executive = self.brain, self.brain.config.executive
        before = brain.state.robot
        robot = with_age(before, brain.now.steady, executive)
        brain.replace(robot=robot)
        if robot.battery_stale and not before.battery_stale:
            limit = executive.safety.battery_max_age_s
            message = (
                f'No reading of the battery for {limit:g} s: {robot.battery_pct:.0f} % is stale'
            )
            brain.tracer.emit('ERROR', message)
        lost = why_lost(robot, executive.battery.lost_after_s)
        if lost is not None and robot.battery_state != before.battery_state:
            self._make_safe(lost)

    def _watch_target(self) -> None:
        """How far it is to where the tool under way drives to."""
        robot = self.brain.state.robot
        left = distance_to_target(self.brain)
        if left != robot.distance_to_target:
            self.brain.replace(robot=replace(robot, distance_to_target=left))

    def _watch_life(self) -> None:
        """An adapter that was restarted has stopped the robot and forgotten what it was doing."""
        brain = self.brain
        life, before = brain.state.robot.adapter_life, self._adapter_life
        self._adapter_life = life or before
        if before is None or life is None or life == before:
            return
        reason = 'The adapter was restarted; what it was doing is lost'
        brain.tracer.emit('ERROR', reason, ok=False, error_reason=reason)
        names = {endpoint.name for _, endpoint in brain.config.topics.adapter}
        for session in brain.book.running():
            if session.endpoint is not None and session.endpoint.name in names:
                brain.book.apply(session.session_id, SessionInput.LOSE, reason=reason)
        if brain.round.motion_until is not None:
            brain.round.cut_short = reason

    def _set_mode(self) -> None:
        brain = self.brain
        arbitration = arbitrate(brain.state)
        tasks = brain.state.tasks
        before, after = tasks.mode, arbitration.mode
        reason = arbitration.preempt_reason
        if (before, tasks.preempt_reason) != (after, reason):
            preempts = bool(reason) and tasks.active is not None
            brain.replace(
                tasks=replace(tasks, mode=after, preempt_flag=preempts, preempt_reason=reason)
            )
        if before is not after:
            because = f' ({reason})' if reason else ''
            brain.tracer.emit('OBSERVE', f'Mode {before.value} → {after.value}{because}')
