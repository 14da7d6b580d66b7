"""The reducers of inputs from people and programs. Pure, one function per class.

An agent may stop and pause. It cannot answer a question or revoke what the operator has requested:
any other text of it is a goal in the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from bt_executive.core.battery_readings import without_battery
from bt_executive.core.causes_of_safe import causes_of_safe
from bt_executive.core.goal_outcome import Outcome
from bt_executive.core.goal_queue import AGENT, OPERATOR, Task
from bt_executive.core.inputs import (
    GoalReceived,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.core.observation_and_effects import (
    Emit,
    EndAtOnce,
    Observation,
    Reduced,
    Reply,
    error,
)
from bt_executive.core.state import BrainState, HCIState, UserInterruptType
from bt_executive.core.stop_and_question_phrases import Utterance, recognise
from rover_common.clocks import Now
from rover_common.config.settings import Config

# In the payload of a stop:
PAUSED = 'paused'  # the source of a pause that holds once it is served; empty: none
ENDS = 'ends'  # the ids of the goals in the queue at its arrival
REPEATED = 'repeated'  # it was served already, arrived over another channel, and is not reported

SAME_STOP_S = 2.0  # a stop of the same source within this time is the same one
NO_PAUSE = 'There was no pause to end.'

Interrupt: TypeAlias = StopRequested | PauseRequested | ResumeRequested
INTERRUPTS: Mapping[str, type[Interrupt]] = {
    'stop': StopRequested,
    'pause': PauseRequested,
    'resume': ResumeRequested,
}
OF_AGENTS = ('stop', 'pause')


def goal_received(before: Observation, given: GoalReceived, now: Now, config: Config) -> Reduced:
    """Queue a goal, or apply its text as an interrupt or an answer if it clearly is one.

    A goal that is open is not queued again: its sender did not know that this run resumed it.
    """
    task, question = given.task, before.state.hci.question
    if any(each.task_id == task.task_id for each in before.state.tasks.queue):
        return Reduced(before)
    utterance, by_agent = recognise(task.goal), task.sender != 'operator'
    before = before.changed(hci=replace(before.state.hci, user_utterance=task.goal))
    if by_agent and utterance.kind not in OF_AGENTS:
        return _queued(before, task, config)
    if question and not task.tool and _may_answer(before.state.hci, utterance):
        hci = replace(before.state.hci, question='', answer=task.goal)
        ended = EndAtOnce(task, 'answered', f'answer to: {question}')
        return Reduced(before.changed(hci=hci), (ended,))
    if task.tool or utterance.kind == 'normal':
        return _queued(before, task, config)
    if utterance.kind == 'new_goal':
        active = before.state.tasks.active
        priority = max(task.priority, active.priority + 1 if active else 0)
        return _queued(before, replace(task, goal=utterance.text, priority=priority), config)
    wanted = INTERRUPTS[utterance.kind](AGENT if by_agent else OPERATOR)
    outcome: Outcome = 'interrupted' if utterance.kind == 'stop' else 'reached'
    after, effects = interrupt_requested(before, wanted, now, config)
    ended = EndAtOnce(task, outcome, f'{utterance.kind}: understood')
    return Reduced(after, (*effects, ended))


def _may_answer(hci: HCIState, utterance: Utterance) -> bool:
    """Return whether a text may answer a question: "go on" may, unless there is a pause."""
    paused = hci.user_interrupt is UserInterruptType.PAUSE
    return utterance.kind == 'normal' or (utterance.kind == 'resume' and not paused)


def _queued(before: Observation, task: Task, config: Config) -> Reduced:
    """Append a goal. The operator may send a resting robot to its charger; an agent waits."""
    tool, tasks = before.state.skills.registry.get(task.tool), before.state.tasks
    if tool is not None:
        charge = config.robot.charge
        charges = charge is not None and task.tool == charge.by and task.sender == 'operator'
        task = replace(task, resources_required=tool.resources_required, charges=charges)
    hci = replace(before.state.hci, user_utterance=task.goal)
    tasks = replace(tasks, queue=(*tasks.queue, task))
    return Reduced(before.changed(tasks=tasks, hci=hci))


def interrupt_requested(
    before: Observation, given: Interrupt, now: Now, _config: Config
) -> Reduced:
    """Apply a stop, pause or resume; a stop that arrives over several channels is reported once.

    It counts as a new one if a goal has arrived since it was served.
    """
    latest, is_waiting = before.latest_stop, _is_stop(before.state.hci)
    is_same = (
        latest is not None
        and latest[0] == given
        and now.steady < latest[1] + SAME_STOP_S
        and (is_waiting or not before.state.tasks.queue)
    )
    name, change = INTERRUPTIONS[type(given)]
    after = before._replace(state=change(before.state, given.source))
    if isinstance(given, StopRequested):
        after = after._replace(latest_stop=(given, now.steady))
        if is_same and (is_repeated_stop(before.state.hci) or not is_waiting):
            after = after._replace(state=_with_payload(after.state, REPEATED, True))
    report = () if is_same else (Emit('OBSERVE', f'{name} requested by {given.source}'),)
    for_nothing = isinstance(given, ResumeRequested) and not _who_paused(before.state.hci)
    return Reduced(after, (*report, Reply(given, True, NO_PAUSE if for_nothing else '')))


def _interrupt(
    state: BrainState, wanted: UserInterruptType, source: str, **more: Any
) -> BrainState:
    payload = {'source': source, **more}
    return replace(state, hci=replace(state.hci, user_interrupt=wanted, interrupt_payload=payload))


def _stop(state: BrainState, source: str) -> BrainState:
    """Request a stop; a pause that was there before it is kept."""
    more = {PAUSED: _who_paused(state.hci), ENDS: [task.task_id for task in state.tasks.queue]}
    return _interrupt(state, UserInterruptType.STOP, _who(_who_stopped(state.hci), source), **more)


def _pause(state: BrainState, source: str) -> BrainState:
    source = _who(_who_paused(state.hci), source)
    if state.hci.user_interrupt is UserInterruptType.STOP:
        return _with_payload(state, PAUSED, source)
    return _interrupt(state, UserInterruptType.PAUSE, source)


def _resume(state: BrainState, source: str) -> BrainState:
    if state.hci.user_interrupt is UserInterruptType.STOP:
        return _with_payload(state, PAUSED, '')
    if state.hci.user_interrupt is not UserInterruptType.PAUSE:
        return state
    return _interrupt(state, UserInterruptType.NONE, source)


INTERRUPTIONS: Mapping[type[Interrupt], tuple[str, Callable[[BrainState, str], BrainState]]] = {
    StopRequested: ('stop', _stop),
    PauseRequested: ('pause', _pause),
    ResumeRequested: ('resume', _resume),
}


def _with_payload(state: BrainState, name: str, value: Any) -> BrainState:
    payload = {**state.hci.interrupt_payload, name: value}
    return replace(state, hci=replace(state.hci, interrupt_payload=payload))


def _who(before: str, source: str) -> str:
    """Return whose an interrupt is that two request: the operator's, if one is the operator."""
    return before if before == OPERATOR else source


def _is_stop(hci: HCIState) -> bool:
    return hci.user_interrupt is UserInterruptType.STOP


def is_repeated_stop(hci: HCIState) -> bool:
    """Return whether the present stop was served and reported a moment ago."""
    return _is_stop(hci) and bool(hci.interrupt_payload.get(REPEATED))


def ended_by_stop(state: BrainState) -> tuple[Task, ...]:
    """Return the goals that a stop ends: those at its arrival; all, if that is not known."""
    ended_ids = state.hci.interrupt_payload.get(ENDS)
    return tuple(
        task for task in state.tasks.queue if ended_ids is None or task.task_id in ended_ids
    )


def stop_served(hci: HCIState) -> HCIState:
    """Return the operator's part of the state after a stop: an earlier pause holds again."""
    source = _who_paused(hci)
    if not source:
        return replace(hci, user_interrupt=UserInterruptType.NONE)
    payload = {'source': source}
    return replace(hci, user_interrupt=UserInterruptType.PAUSE, interrupt_payload=payload)


def _who_stopped(hci: HCIState) -> str:
    """Return the source of the present stop; empty: there is none."""
    return str(hci.interrupt_payload.get('source', '')) if _is_stop(hci) else ''


def _who_paused(hci: HCIState) -> str:
    """Return the source of the pause, now or after the present stop; empty: there is none."""
    key = 'source' if hci.user_interrupt is UserInterruptType.PAUSE else PAUSED
    return str(hci.interrupt_payload.get(key, ''))


def safety_event(before: Observation, given: SafetyEvent, _now: Now, _config: Config) -> Reduced:
    """Latch SAFE; the first reason stays until a reset."""
    world = before.state.world
    reason = world.safety_reason or given.reason or 'Safety event without a reason'
    report = Emit('ERROR', f'Safety event from {given.source}: {given.reason}')
    after = before.changed(world=replace(world, safety_reason=reason))
    return Reduced(after, (report, Reply(given, True)))


def reset_requested(
    before: Observation, given: ResetRequested, now: Now, config: Config
) -> Reduced:
    """End SAFE, unless there is a cause of it or one has just arrived."""
    causes = causes_of_safe(before, now, config)
    if before.alarmed:  # the sender of the reset cannot have known of it
        causes = (*causes, 'a safety event has just come')
    if causes:
        sentence = f'Not reset: {"; ".join(causes)}'
        return Reduced(before, (error(sentence), Reply(given, False, sentence)))
    remark, robot = '', before.state.robot
    if robot.battery_state == 'LOST':
        remark = '; the charge of the battery is not known until a reading comes'
        robot = without_battery(robot)
    world = replace(before.state.world, safety_reason='')
    report = Emit('OBSERVE', f'Reset by {given.source}{remark}')
    after = before.changed(world=world, robot=robot)
    return Reduced(after, (report, Reply(given, True, f'reset{remark}')))
