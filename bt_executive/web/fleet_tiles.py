"""The tiles of a fleet's page: one for each robot, with what it does and what it waits for.

Unknown and old values are marked in a tile: a robot that does not report has no mode, no battery
and no motion state. The names of the fields are those of the page's data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bt_executive.client.state_and_approval_text import format_progress
from bt_executive.core.state import BrainState
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.holds_on_goals import Hold
from bt_executive.view.shown_motion import MotionState
from bt_executive.web.operator_view import OperatorView

PICTURE_OLD_S = 2.5  # an older live picture is marked as old
SILENT_S = 2.0  # an executive reports its state at least every tick.heartbeat_s


@dataclass(frozen=True)
class Tile:
    """One robot.

    Attributes:
        name: Its namespace.
        presence: starting, ready, quiet or lost; `why`: why it is lost.
        silent_s: Time since the latest report of its executive; None: it reports.
        mode: Empty: not known.
        hold: The hold on its goals; None: there is none. `hold_s`: its age; None: not known.
        goal: The active goal, or else the next one; empty: none.
        active: Whether a goal is active; `progress`: its progress and duration.
        waiting: Number of approval requests.
        battery_pct: None: not known; `battery_age_s`: age of an old reading.
        standing: Motion state by its adapter; `status_max_age_s`: as in `OperatorView`.
        picture: Number of the latest live picture; 0: none. `picture_age_s`: age of an old one.
    """

    name: str
    presence: str
    why: str = ''
    silent_s: int | None = None
    mode: str = ''
    hold: Hold | None = None
    hold_s: int | None = None
    goal: str = ''
    active: bool = False
    progress: str = ''
    waiting: int = 0
    battery_pct: float | None = None
    battery_age_s: int | None = None
    standing: MotionState = 'unknown'
    status_max_age_s: float | None = None
    picture: int = 0
    picture_age_s: int | None = None


class Tiles:
    """All tiles of a fleet."""

    def __init__(
        self, robots: Mapping[str, Callable[[], tuple[OperatorView, CurrentView]]]
    ) -> None:
        self._robots = robots
        self._silent_since: dict[str, float] = {}
        self._reported: dict[
            str, tuple[BrainState | None, float]
        ] = {}  # the latest state, and its time

    def at(self, clock: float) -> tuple[Tile, ...]:
        """Return the tiles at a steady time in s."""
        return tuple(self._tile(name, *views(), clock) for name, views in self._robots.items())

    def _tile(self, name: str, desk: OperatorView, current: CurrentView, clock: float) -> Tile:
        state, latest_at = self._reported.get(name, (None, clock))
        reported_at = latest_at if current.state is state else clock
        self._reported[name] = current.state, reported_at
        presence = current.presence
        if presence == 'ready' and clock - reported_at > SILENT_S:
            presence = 'quiet'  # the receiver of the reports may hang, too
        if presence != 'ready':
            since = self._silent_since.setdefault(name, clock if state is None else latest_at)
            return Tile(name, presence, current.lost_reason, int(clock - since))
        self._silent_since.pop(name, None)
        return tile_of(name, desk, current, clock)


def tile_of(name: str, desk: OperatorView, current: CurrentView, clock: float) -> Tile:
    """Return the tile of a robot whose executive is ready, at a steady time in s."""
    age_s, hold = clock - desk.camera_at, desk.holds[0] if desk.holds else None
    since = hold.since if hold else None
    return Tile(
        name,
        'ready',
        mode=desk.mode,
        hold=hold,
        hold_s=None if since is None else max(int(current.now - since), 0),
        goal=desk.queue[0][1] if desk.queue else '',
        active=bool(desk.active),
        progress='' if current.state is None else format_progress(current.state, current.now),
        waiting=len(desk.requests),
        battery_pct=desk.battery,
        battery_age_s=desk.ages.get('battery'),
        standing=desk.motion.standing,
        status_max_age_s=desk.status_max_age_s,
        picture=desk.camera,
        picture_age_s=int(age_s) if desk.camera and age_s > PICTURE_OLD_S else None,
    )
