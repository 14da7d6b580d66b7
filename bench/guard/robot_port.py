"""The executive's port to a site: services and actions by name, answers through the inbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
import json
from typing import Any

from bench.guard.navigation import Navigation
from bench.guard.site import Site
from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Json
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from curiosity_adapter.status_report import status_to_json
from curiosity_navigation.navigation_goal_progress import EndCode, Outcome
from curiosity_navigation.path_planner import NavigationGoal
from curiosity_sim.capture_guard import CaptureGuard
from curiosity_sim.image_score_and_ground_statistics import light_score
from rover_common.config.settings import Endpoint
from rover_common.permit import NO_PERMIT, Heartbeat, Permit

ADAPTER = '/adapter/'
OF_ADAPTER = ('move_forward', 'turn_left', 'turn_right', 'move_stop')
OF_MAST = ('mast_open', 'mast_close', 'mast_rotate')
CAPTURE = '/capture_and_score'
NAVIGATE = '/adapter/navigate_to_pose'


@dataclass(frozen=True)
class Sent:
    """A request of the executive's at a service or action, as it left the tree."""

    at: float
    name: str
    arguments: Json


@dataclass
class Picture:
    """A picture that was taken: by the truth of that moment, in the right state or not."""

    at: float
    score: float
    was_moving: bool
    mast_closed: bool


@dataclass
class Fate:
    """Faults of the answers to the executive.

    Attributes:
        late_s: Their delay.
        lost: They do not come at all.
        doubled: Each is repeated after this time.
        reversed: They are held back, and come in the reverse order.
    """

    late_s: float = 0.0
    lost: bool = False
    doubled: float = 0.0
    reversed: bool = False


@dataclass
class SiteRobot:
    """Implements `Robot` over a site.

    Args:
        scripted: Service or action → its answer, for what no process of the case offers.

    Attributes:
        run: The id of the executive's run, in its heartbeats.
        sent: Every request, in order; stops are not among them.
        pictures: Those that were taken.
        absent: Names of services without a server at present.
        muted: Whether heartbeats get lost.
    """

    site: Site
    inbox: Inbox
    run: str
    scripted: Mapping[str, Any] = field(default_factory=dict)
    navigation: Navigation | None = None
    sent: list[Sent] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    muted: bool = False
    fate: Fate = field(default_factory=Fate)
    sequence: int = 0
    current: Permit = NO_PERMIT

    def __post_init__(self) -> None:
        """Listens as the simulator does."""
        guards = self.site.config.executive.guards
        self.guard = CaptureGuard(
            self.site.config.executive.variant, guards.adapter_status_max_age_s
        )
        self._on_status = lambda status: self.guard.update(status, self.site.now)
        self.site.listeners.append(self._on_status)
        self._held: list[Callable[[], None]] = []

    # --- the port ------------------------------------------------------------------------------

    def ready(self, endpoint: Endpoint) -> bool:
        """See `Robot.ready`."""
        if endpoint.name in self.absent:
            return False
        if endpoint.name == NAVIGATE and self.navigation is not None:
            return True
        return self._is_of_adapter(endpoint.name) or endpoint.name in self.scripted

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """See `Robot.send`."""
        self.sent.append(Sent(self.site.now, endpoint.name, dict(arguments)))
        if endpoint.name == NAVIGATE and self.navigation is not None:
            self._navigate(server_call_id, arguments)
        elif self._is_of_adapter(endpoint.name):
            self._serve(server_call_id, endpoint.name)
        elif endpoint.name in self.scripted:
            self._respond(server_call_id, self.scripted[endpoint.name], endpoint.kind == 'action')

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.adopt`."""
        reason = f'{endpoint.name} knows nothing of it'
        self._answer(ServerCallUpdate(server_call_id, CallInput.LOSE, reason=reason))

    def cancel(self, server_call_id: str) -> None:
        """See `Robot.cancel`."""
        if self.navigation is not None:
            self.navigation.cancel()
            self._answer(ServerCallUpdate(server_call_id, CallInput.CANCEL_ACCEPTED))

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.cancel_again`."""
        self.cancel(server_call_id)

    def permit(self, permit: Permit) -> Heartbeat:
        """See `Robot.permit`."""
        self.current = permit
        return self.publish()

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        """See `Robot.stop`."""
        if self.site.stops_lost:
            return
        if past_the_adapter:
            self.site.take('move_stop', 'executive')
            self._answer(ServerCallUpdate(server_call_id, CallInput.SUCCEED))
        else:
            self.site.call_adapter('move_stop', partial(self._triggered, server_call_id))

    # --- the executive's heartbeat -------------------------------------------------------------

    def publish(self) -> Heartbeat:
        """Sends a heartbeat with what is permitted."""
        self.sequence += 1
        heartbeat = Heartbeat(self.run, self.sequence, self.site.now, self.current)
        if not self.muted:
            self.site.receive_heartbeat(heartbeat)
        return heartbeat

    # --- the servers ---------------------------------------------------------------------------

    def _is_of_adapter(self, name: str) -> bool:
        own = name.removeprefix(ADAPTER)
        return name == CAPTURE or (
            name.startswith(ADAPTER) and own in (*OF_ADAPTER, *OF_MAST, 'get_status')
        )

    def _serve(self, server_call_id: str, name: str) -> None:
        own = name.removeprefix(ADAPTER)
        if name == CAPTURE:
            self._respond(server_call_id, self.take_picture())
        elif own == 'get_status':
            site = self.site
            status = site.parts.status(None, None), site.parts.measurements()
            self._triggered(server_call_id, True, status_to_json(*status))
        else:
            self.site.call_adapter(own, partial(self._triggered, server_call_id))

    def _triggered(self, server_call_id: str, ok: bool, status_text: str) -> None:
        self._respond(server_call_id, {'success': ok, 'message': status_text})

    def _respond(self, server_call_id: str, fields: Any, is_action: bool = False) -> None:
        if is_action:
            self._answer(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        self._answer(ServerCallUpdate(server_call_id, CallInput.SUCCEED, dict(fields)))

    def take_picture(self) -> Json:
        """Answer `/capture_and_score` as the simulator does."""
        truth = self.site.truth
        reason = self.guard.refusal(self.site.now)
        if reason:
            return {'ok': False, 'error_reason': reason.sentence}
        score = light_score(truth.x, self.site.config.thresholds.light_model)
        good = score >= self.site.config.thresholds.quality.score_threshold
        self.pictures.append(Picture(truth.at, score, truth.speed != 0.0, truth.mast_closed))
        debug = json.dumps({'pose_x': round(truth.x, 2)})
        return {'ok': True, 'score': score, 'is_good': good, 'error_reason': '', 'debug': debug}

    def _navigate(self, server_call_id: str, arguments: Json) -> None:
        assert self.navigation is not None
        heading = arguments.get('heading')
        goal = NavigationGoal(float(arguments['x']), float(arguments['y']), heading)
        self._answer(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        self.navigation.pursue(goal, partial(self._arrived, server_call_id))

    def _arrived(self, server_call_id: str, outcome: Outcome) -> None:
        fields = {
            'error_code': outcome.code.value,
            'message': outcome.message,
            'distance': outcome.distance,
        }
        happened = CallInput.SUCCEED if outcome.code is EndCode.ARRIVED else CallInput.FAIL
        if outcome.code is EndCode.CANCELLED:
            happened = CallInput.CANCELLED
        self._answer(ServerCallUpdate(server_call_id, happened, fields))

    def _answer(self, answer: ServerCallUpdate) -> None:
        fate, site = self.fate, self.site

        def arrive() -> None:
            self.inbox.put(answer)

        if fate.lost:
            return
        if fate.reversed:
            self._held.insert(0, arrive)
            return
        site.send(site.now + fate.late_s, arrive)
        if fate.doubled:
            site.send(site.now + fate.late_s + fate.doubled, arrive)

    def let_go(self) -> None:
        """Answers that were held back arrive now."""
        held, self._held = self._held, []
        for arrive in held:
            arrive()
