"""What changes in a tick without an input: data grow old, the adapter begins anew. Pure.

Reducers as in `reduce.py`: `begin_tick` before the inputs of a tick, `watch` and `set_mode` after
them.

A battery that was low and tells nothing any more will never be known to be charged: nobody may
wait for it without an end, and nobody may take it for full (docs/decisions/0016).
"""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.core.causes_of_safe import causes_of_safe, is_recent
from bt_executive.core.effects import Effect, Emit, LoseCalls, error
from bt_executive.core.inputs import Input, SafetyEvent
from bt_executive.core.modes import Arbitration, holds_back
from bt_executive.core.observation import Observation, Reduced, make_safe
from bt_executive.core.result_text import fields_in_words, span
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, WorldState
from bt_executive.core.store_port import StoreFault
from bt_executive.core.topic_state import never_known, with_old_forgotten
from rover_common.clocks import Now
from rover_common.config.settings import Config, ExecutiveSettings
from rover_common.replace import replace


def with_age(robot: RobotState, now: Now, settings: ExecutiveSettings) -> RobotState:
    """The same robot, its battery marked as stale or lost.

    Silence counts only while the executive itself was awake: what was sent while it was suspended
    may still be on its way to it. What is stale stays so until there is a reading.
    """
    if robot.battery_at is None:
        return robot
    age_s = now.silent_for(robot.battery_at)
    is_stale = robot.battery_stale or age_s > settings.safety.battery_max_age_s
    is_lost = robot.battery_state == 'LOW' and age_s > settings.battery.lost_after_s
    word = 'LOST' if is_lost else robot.battery_state
    if (is_stale, word) == (robot.battery_stale, robot.battery_state):
        return robot
    return replace(robot, battery_stale=is_stale, battery_state=word)


def why_lost(robot: RobotState, lost_after_s: float) -> str | None:
    """Why it is not safe to go on waiting; None if the battery is not lost."""
    if robot.battery_state != 'LOST':
        return None
    return (
        f'battery reading is stale: {_last(robot)}, and none came for {lost_after_s:g} s; look at '
        'the battery and its driver before a reset'
    )


def _last(robot: RobotState) -> str:
    if robot.battery_pct is None:
        return 'it was low before the restart'
    return f'{robot.charge}, which is low, was the last'


def forgotten(robot: RobotState) -> RobotState:
    """The same robot, of whose battery nothing is known: as one that has never told its charge."""
    return replace(
        robot,
        battery_pct=None,
        battery_state='UNKNOWN',
        battery_at=None,
        battery_stale=False,
    )


_OF_TOPIC = 'state.'  # before the name of an entry, which may be that of a reading
AGE_SHOWN_S = 1.0  # of what topics have, and of a score; a younger value is shown as it is


def with_ages(state: BrainState, now: Now, settings: ExecutiveSettings) -> BrainState:
    """Return the state with the ages, in s at `now`, of those readings that are too old to act on.

    The limits are those of the guards: a reading without an age may still be used by them. What
    topics have of the robot has its age from the first second on.
    """
    robot, guards = state.robot, settings.guards
    parts = {_OF_TOPIC + name: (at, AGE_SHOWN_S) for name, at in robot.parts_at.items()}
    readings = parts | {
        'pose': (robot.pose_at, guards.pose_max_age_s),
        'status': (robot.status_at, guards.adapter_status_max_age_s),
        'battery': (robot.battery_at, settings.safety.battery_max_age_s),
    }
    ages = {
        name: round(now.steady - at, 1)
        for name, (at, limit_s) in readings.items()
        if at is not None and now.steady - at > limit_s
    }
    return state if ages == robot.ages else replace(state, robot=replace(robot, ages=ages))


def topic_parts(robot: RobotState) -> dict[str, str]:
    """Return what topics have of the robot's state in words, with age or why it is not known."""
    why, names = robot.parts_unknown, {**robot.parts_unknown, **robot.parts_at}
    return {
        name: f'{name.replace("_", " ")} not known: {why[name]}'
        if name in why
        else fields_in_words({name: robot.parts.get(name)}) + age_in_words(robot, _OF_TOPIC + name)
        for name in robot.parts
        if name in names
    }


def age_in_words(robot: RobotState, reading: str) -> str:
    """What stands behind an old reading: ` (8 s ago)`; empty: it is current, or never came."""
    age_s = robot.ages.get(reading)
    return '' if age_s is None else f' ({span(age_s)} ago)'


def score_age_s(world: WorldState, now: float) -> float | None:
    """Return how old the latest score is once it is not of this moment. `now`: ROS time in s."""
    told = world.last_score_ts
    return None if told is None or now - told <= AGE_SHOWN_S else now - told


def score_in_words(world: WorldState, now: float) -> str:
    """Return the latest score, with its age once it is old; empty: none. `now`: ROS time in s."""
    if world.last_score is None:
        return ''
    age_s = score_age_s(world, now)
    return f'{world.last_score:.2f}' + ('' if age_s is None else f' ({span(age_s)} ago)')


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


def _topics(before: Observation, now: Now, config: Config) -> Reduced:
    """What a topic has told too long ago is not known."""
    robot = with_old_forgotten(before.state.robot, now, config.robot.from_topics)
    awaited = never_known(robot, config.robot)
    if awaited != robot.awaited:
        robot = replace(robot, awaited=awaited)
    if robot is before.state.robot:
        return Reduced(before)
    return Reduced(before.changed(robot=robot))


def _battery(before: Observation, now: Now, config: Config) -> Reduced:
    """A reading that is stale is reported; one that was low and is lost makes SAFE."""
    settings, was = config.executive, before.state.robot
    robot = with_age(was, now, settings)
    if robot is was:
        return Reduced(before)
    after, effects = before.changed(robot=robot), list[Effect]()
    if robot.battery_stale and not was.battery_stale:
        limit = settings.safety.battery_max_age_s
        effects.append(
            Emit('ERROR', f'No reading of the battery for {limit:g} s: {robot.charge} is stale')
        )
    lost = why_lost(robot, settings.battery.lost_after_s)
    if lost is not None and robot.battery_state != was.battery_state:
        after, more = make_safe(after, lost)
        effects += more
    return Reduced(after, tuple(effects))


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


STEPS = (_topics, _safe, _battery, _adapter_life, _adapter)


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
