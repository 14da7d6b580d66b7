"""The presence of the adapter: it reports, is silent, or was restarted. Pure."""

from __future__ import annotations

from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.reading_ages import is_recent
from bt_executive.core.reducer_effects import Emit, LoseCalls, error
from rover_common.clocks import Now
from rover_common.config.settings import Config, GuardSettings

RESTARTED = 'The adapter was restarted; what it was doing is lost'


def is_reporting(
    status_at: float | None, permitted_at: float | None, now: Now, guards: GuardSettings
) -> bool:
    """Return whether the latest status is recent; while a motion is permitted, more recent.

    Both times in steady s. `permitted_at`: when a motion was permitted; None: none is.
    """
    if status_at is None or not is_recent(status_at, now, guards.adapter_status_max_age_s):
        return False
    if permitted_at is None:
        return True
    since = max(status_at, permitted_at)  # an adapter at rest reports less often
    return is_recent(since, now, guards.adapter_status_moving_max_age_s)


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
