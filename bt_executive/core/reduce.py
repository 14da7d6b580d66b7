"""The reducer: applies the inputs of a tick, and what applies before and after all of them. Pure.

`reduce(before, given, now, config)` returns the next observation, and the effects to carry out.
Every class of input has a rule; a change outside the observation (calls, approvals, goals,
settings) is an effect, too. `begin_tick` notes a fault of the journal; `watch` makes SAFE if there
is a cause, and notes old readings, a silent or restarted adapter and a full inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from bt_executive.core.battery_readings import battery_received, report_stale_battery
from bt_executive.core.causes_of_safe import causes_of_safe, make_safe
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    MemoryReceived,
    ParametersSet,
    PauseRequested,
    PoseReceived,
    ReadinessReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    StopRequested,
    TopicReceived,
    ZonesReceived,
)
from bt_executive.core.observation_and_effects import (
    Effect,
    Emit,
    Forward,
    LoseCalls,
    Observation,
    Reduced,
    error,
)
from bt_executive.core.reading_ages import is_recent
from bt_executive.core.reduce_operator_inputs import (
    goal_received,
    interrupt_requested,
    reset_requested,
    safety_event,
)
from bt_executive.core.reduce_robot_inputs import (
    expire_topic_values,
    memory_received,
    pose_received,
    status_received,
    topic_received,
    zones_received,
)
from bt_executive.core.store_port import StoreFault
from rover_common.clocks import Now
from rover_common.config.settings import Config

Rule: TypeAlias = Callable[[Observation, Any, Now, Config], Reduced]


def _forward(before: Observation, given: Input, _now: Now, _config: Config) -> Reduced:
    return Reduced(before, (Forward(given),))


RULES: Mapping[type[Input], Rule] = {
    GoalReceived: goal_received,
    GoalCancelled: _forward,
    StopRequested: interrupt_requested,
    PauseRequested: interrupt_requested,
    ResumeRequested: interrupt_requested,
    SafetyEvent: safety_event,
    ResetRequested: reset_requested,
    ApprovalGiven: _forward,
    ParametersSet: _forward,
    ServerCallUpdate: _forward,
    StatusReceived: status_received,
    PoseReceived: pose_received,
    BatteryReceived: battery_received,
    ZonesReceived: zones_received,
    MemoryReceived: memory_received,
    ReadinessReceived: _forward,
    TopicReceived: topic_received,
}


def reduce(before: Observation, given: Input, now: Now, config: Config) -> Reduced:
    """Apply an input."""
    return RULES[type(given)](before, given, now, config)


RESTARTED = 'The adapter was restarted; what it was doing is lost'


def note_adapter_restart(before: Observation, _now: Now, _config: Config) -> Reduced:
    """Report a restart of the adapter: it has stopped the robot and lost its calls."""
    run, previous_run = before.state.robot.adapter_life, before.adapter_life
    if not run or run == previous_run:
        return Reduced(before)
    after = before._replace(adapter_life=run)
    return Reduced(after, () if previous_run is None else (error(RESTARTED), LoseCalls(RESTARTED)))


def note_adapter_silence(before: Observation, now: Now, config: Config) -> Reduced:
    """Note whether the adapter is silent; report when it is not any more."""
    limit = config.executive.guards.adapter_status_max_age_s
    alive = is_recent(before.state.robot.status_at, now, limit)
    if alive == before.adapter_alive:
        return Reduced(before)
    report = (Emit('OBSERVE', 'The adapter reports its status'),) if alive else ()
    return Reduced(before._replace(adapter_alive=alive), report)


def begin_tick(before: Observation, inputs: Iterable[Input], fault: StoreFault | None) -> Reduced:
    """Note what applies to all inputs of the tick.

    `fault`: why the journal cannot be kept. Its begin and its end are reported.
    """
    alarmed = any(isinstance(each, SafetyEvent) for each in inputs)
    after = before._replace(alarmed=alarmed, journal_fault=fault)
    if fault == before.journal_fault:
        return Reduced(after)
    if fault is None:
        return Reduced(after, (Emit('OBSERVE', 'The journal is kept again'),))
    return Reduced(after, (error(fault.sentence, f'Journal: {fault.sentence}'),))


def watch(before: Observation, now: Now, config: Config, dropped: int) -> Reduced:
    """Make SAFE if there is a cause, and report changes of battery, adapter and inbox.

    `dropped`: inputs that the inbox has dropped so far.
    """
    seen, effects = before, list[Effect]()
    for step in STEPS:
        seen, more = step(seen, now, config)
        effects += more
    if dropped > seen.dropped:
        seen = seen._replace(dropped=dropped)
        effects.append(Emit('ERROR', f'Inbox full: {dropped} events dropped so far'))
    return Reduced(seen, tuple(effects))


def _safe(before: Observation, now: Now, config: Config) -> Reduced:
    causes = causes_of_safe(before, now, config)
    if not causes or before.state.world.safety_reason:
        return Reduced(before)
    return make_safe(before, '; '.join(causes))


STEPS = (
    expire_topic_values,
    _safe,
    report_stale_battery,
    note_adapter_restart,
    note_adapter_silence,
)
