"""The operator's part of the page: the current view, and the replies to requests.

Written by one thread. `OperatorView` is small and sent as a whole whenever it has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
import math
from typing import Any

from bt_executive.client.callable_tools import destination_tool, variant_tools
from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    FaultsReceived,
    GoalEnded,
    PathPlanned,
    PictureReceived,
    PlacesRecalled,
    Problem,
    ServiceReply,
)
from bt_executive.core.drive_destinations import why_long
from bt_executive.core.reading_ages import topic_parts
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.holds_on_goals import Hold, holds_of
from bt_executive.view.shown_motion import Motion, motion_of
from bt_executive.view.shown_state_fields import shown_guard_readings
from bt_executive.web.objections_to_a_drive import Objection, objections
from rover_common.config.settings import Config
from rover_common.text_sanitizing import one_line

MAX_REPLIES = 20
MAX_REPLY_CHARS = 4000


@dataclass(frozen=True)
class OperatorView:
    """The current state as shown to the operator. The page's scripts read these fields.

    Attributes:
        presence: starting, ready, quiet or lost; `why`: why it is lost.
        active: Id of the active goal.
        requests: Requests for approval, as on ~/approvals.
        queue: Id and text of the open goals; the first one may be active.
        words: The end of the text that the model is streaming.
        replies: [number, ok, text] of answers and errors, oldest first.
        faults: Node → its active faults; only running nodes.
        ages: pose, status, battery → age in whole s, if the reading is old.
        guarded: Name and text of guard readings on the robot's own state; empty: not known.
        parts: Texts of the robot's state from topics, with their age.
        camera: Number of the latest live picture; `camera_at`: steady time in s of its arrival.
        why_long: Why this path is long; empty: it is not.
        step: Whether each proposal needs approval; `break_at`: breakpoints.
        found: Name and position of the latest places recalled by the memory.
        against: The guards' objections to a drive to a place; None: there is no such tool.
        status_max_age_s: Maximum age of the adapter's status; None: not known.
    """

    presence: str = 'starting'
    why: str = ''
    mode: str = ''
    holds: tuple[Hold, ...] = ()
    battery: float | None = None
    active: str = ''
    requests: tuple[Mapping[str, Any], ...] = ()
    queue: tuple[tuple[str, str], ...] = ()
    question: str = ''
    words: str = ''
    replies: tuple[tuple[int, bool, str], ...] = ()
    faults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    manual: bool = False
    motion: Motion = field(default_factory=Motion)
    ages: Mapping[str, int] = field(default_factory=dict)
    guarded: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()
    camera: int = 0
    camera_at: float = 0.0
    path: PathPlanned | None = None
    why_long: str = ''
    step: bool = False
    break_at: tuple[str, ...] = ()
    found: tuple[tuple[str, float, float], ...] = ()
    against: tuple[Objection, ...] | None = None
    status_max_age_s: float | None = None


class OperatorViewFold:
    """Folds events into the operator's view; `view` may be read from any thread.

    Args:
        clock: Returns steady time in s.
        config: Has the tools, guards and limits; None: they are not known.
    """

    def __init__(self, clock: Callable[[], float], config: Config | None = None) -> None:
        self._clock, self._config = clock, config
        self._tools = variant_tools(config) if config else {}
        self._drive, _ = destination_tool(self._tools) or ('', None)
        self._replies = 0
        self._refusal = (0, '')  # the latest one of a held motion
        self._current: CurrentView | None = None  # as applied last
        self.view = OperatorView()
        self.camera = b''  # the latest live picture

    def add_reply(self, ok: bool, text: str) -> None:
        """Adds a reply, which is shown on every page."""
        self._replies += 1
        reply = (self._replies, ok, text[:MAX_REPLY_CHARS])
        self.view = replace(self.view, replies=(*self.view.replies, reply)[-MAX_REPLIES:])

    def apply(self, event: ClientEvent, current: CurrentView) -> bool:
        """Applies an event and the current view after it; returns False if nothing changed."""
        before = self.view
        match event:
            case ExecutiveLost() | ClientFailed():
                old = self.view  # the camera belongs to the robot and continues
                self.view = OperatorView(
                    replies=old.replies, camera=old.camera, camera_at=old.camera_at
                )
            case PlacesRecalled(places):
                self.view = replace(self.view, found=places)
            case PathPlanned():
                self.view = replace(
                    self.view, path=event, why_long=self._describe_long_path(event, current)
                )
            case FaultsReceived(node, active):
                others = {name: on for name, on in self.view.faults.items() if name != node}
                faults = others if active is None else {**others, node: active}
                self.view = replace(self.view, faults=faults)
            case AdapterStatusReceived():
                self._apply_adapter(event)
            case PictureReceived(_, jpeg, live=True):
                self.camera = jpeg
                number = self.view.camera + 1
                self.view = replace(self.view, camera=number, camera_at=self._clock())
            case ServiceReply() | GoalEnded() | Problem():
                self._reply(event)
        if current is not self._current:
            self._current = current
            self._apply_current(current)
        return self.view is not before and self.view != before

    def _apply_current(self, current: CurrentView) -> None:
        self.view = replace(
            self.view,
            presence=current.presence,
            why=current.lost_reason,
            requests=current.requests,
            queue=current.queue,
            question=current.question or '',
            words=current.streamed_text,
            step=current.step,
            break_at=current.break_at,
        )
        if current.state is None:
            return
        tasks, robot = current.state.tasks, current.state.robot
        config = self._config
        settings = config.executive if config else None
        self.view = replace(
            self.view,
            mode=tasks.mode.value,
            holds=holds_of(
                current.state,
                settings.battery.resume_pct if settings else None,
                current.resumed_at,
            ),
            battery=None if robot.battery_pct is None else round(robot.battery_pct, 1),
            active=tasks.active_task_id or '',
            motion=motion_of(robot, current.now, self.view.motion),
            ages={name: int(age_s) for name, age_s in robot.ages.items()},
            guarded=shown_guard_readings(config.robot, robot) if config else (),
            parts=tuple(map(one_line, topic_parts(robot).values())),
            against=objections(self._drive, self._tools, current.state, config)
            if config and self._drive
            else None,
            status_max_age_s=settings.guards.adapter_status_max_age_s if settings else None,
        )

    def _describe_long_path(self, path: PathPlanned, current: CurrentView) -> str:
        pose = current.state.robot.shown_pose if current.state else None
        if path.reason or pose is None:
            return ''
        destination = self._tools[self._drive].destination if self._drive else None
        straight_m = math.dist((pose.x, pose.y), (path.x, path.y))
        return one_line(
            why_long(path.length_m, straight_m, destination.detour if destination else '')
        )

    def _apply_adapter(self, seen: AdapterStatusReceived) -> None:
        self.view = replace(self.view, manual=seen.manual)
        refusal = (seen.navigation_goal, seen.refused)
        if seen.manual and seen.refused and refusal != self._refusal:
            self._refusal = refusal
            self.add_reply(False, f'It does not move: {seen.refused}')

    def _reply(self, event: ServiceReply | GoalEnded | Problem) -> None:
        match event:
            case ServiceReply(question, ok, text):
                if text and not (ok and question == 'stop'):  # the page shows its own stops
                    self.add_reply(ok, text)
            case GoalEnded(_, outcome, answer, summary):
                if not summary and outcome == 'failed':  # else the goal's story shows it
                    self.add_reply(False, answer)
            case Problem(text):
                self.add_reply(False, text)
