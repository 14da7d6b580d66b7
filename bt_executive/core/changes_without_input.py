"""What changes in a tick besides its inputs: causes of SAFE, adapter, inbox, mode.

Reducers as in `reduce.py`: `begin_tick` before the inputs of a tick, `watch` and `set_mode` after
them. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.core.battery_readings import report_stale_battery
from bt_executive.core.causes_of_safe import causes_of_safe, make_safe
from bt_executive.core.effects import Effect, Emit, LoseCalls, error
from bt_executive.core.inputs import Input, SafetyEvent
from bt_executive.core.modes import Arbitration, holds_back
from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.reading_ages import is_recent
from bt_executive.core.store_port import StoreFault
from bt_executive.core.topic_state import forget_old_topics
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.dataclass_replace import replace

RESTARTED = 'The adapter was restarted; what it was doing is lost'


def begin_tick(before: Observation, inputs: Iterable[Input], fault: StoreFault | None) -> Reduced:
    """Note what counts for all inputs of the tick.

    `fault`: why the journal cannot be kept. It is reported, and so is its end.
    """
    alarmed = any(isinstance(each, SafetyEvent) for each in inputs)
    after = before._replace(alarmed=alarmed, journal_fault=fault)
    if fault == before.journal_fault:
        return Reduced(after)
    if fault is None:
        return Reduced(after, (Emit('OBSERVE', 'The journal is kept again'),))
    return Reduced(after, (error(fault.sentence, f'Journal: {fault.sentence}'),))


def watch(before: Observation, now: Now, config: Config, dropped: int) -> Reduced:
    """Make SAFE of causes that stand, and report what has become of battery, adapter and inbox.

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


def _adapter_life(before: Observation, _now: Now, _config: Config) -> Reduced:
    """An adapter that was restarted has stopped the robot and forgotten what it was doing."""
    life, was = before.state.robot.adapter_life, before.adapter_life
    if not life or life == was:
        return Reduced(before)
    after = before._replace(adapter_life=life)
    return Reduced(after, () if was is None else (error(RESTARTED), LoseCalls(RESTARTED)))


def _adapter(before: Observation, now: Now, config: Config) -> Reduced:
    limit = config.executive.guards.adapter_status_max_age_s
    alive = is_recent(before.state.robot.status_at, now, limit)
    if alive == before.adapter_alive:
        return Reduced(before)
    report = (Emit('OBSERVE', 'The adapter reports its status'),) if alive else ()
    return Reduced(before._replace(adapter_alive=alive), report)


STEPS = (forget_old_topics, _safe, report_stale_battery, _adapter_life, _adapter)


def set_mode(before: Observation, arbitration: Arbitration, now: Now) -> Reduced:
    """Give the state the mode that the table of modes has for it, and since when it holds."""
    tasks = before.state.tasks
    was, mode, reason = tasks.mode, arbitration.mode, arbitration.preempt_reason
    preempts = tasks.active is not None and holds_back(before.state, tasks.active)
    if (was, tasks.preempt_reason, tasks.preempt_flag) == (mode, reason, preempts):
        return Reduced(before)
    goes_on = was is mode and tasks.held_since
    since = (tasks.held_since if goes_on else now.ros) if reason else 0.0
    tasks = replace(
        tasks, mode=mode, preempt_flag=preempts, preempt_reason=reason, held_since=since
    )
    because = f' ({reason})' if reason else ''
    change = Emit(
        'OBSERVE', f'Mode {was.value} → {mode.value}{because}', {'data': {'mode': mode.value}}
    )
    return Reduced(before.changed(tasks=tasks), () if was is mode else (change,))
