"""The reducers before the inputs of a tick (journal) and after them (causes of SAFE, inbox).

Reducers as in `reduce.py`. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.core.adapter_presence import note_adapter_restart, note_adapter_silence
from bt_executive.core.battery_readings import report_stale_battery
from bt_executive.core.causes_of_safe import causes_of_safe, make_safe
from bt_executive.core.inputs import Input, SafetyEvent
from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.reducer_effects import Effect, Emit, error
from bt_executive.core.store_port import StoreFault
from bt_executive.core.topic_state import expire_topic_values
from rover_common.clocks import Now
from rover_common.config.settings import Config


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
