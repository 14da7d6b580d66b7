"""A robot, its people and a planner on simulated time: all of it drawn from a seed.

What the ports of the executive are asked, and what happens besides, becomes an event at a later
moment. Nothing here grows with the number of goals.
"""

from __future__ import annotations

from collections.abc import Callable
import heapq
import itertools
import random
from typing import Any

from fakes.core import ADAPTER_STOP, ROVER_STOP

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import (
    Answer,
    Barred,
    Json,
    PlannerContext,
    PlannerFailure,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    PauseRequested,
    PoseReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    StopRequested,
)
from rover_common.adapter_status import AdapterStatus
from rover_common.config.settings import Endpoint
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit

Tool = tuple[str, dict[str, Any]]
TOOLS: list[Tool] = [
    *(('get_status', {}), ('capture_and_score', {}), ('mast_close', {}), ('mast_open', {})),
    *(('mast_close', {}), ('move_forward', {'duration_s': 2.0}), ('turn_left', {})),
    *(('navigate_to', {'x': 3.0, 'y': 1.0}), ('navigate_to', {'x': 1.0, 'y': 0.0})),
    *(('speak', {'text': 'On my way.'}), ('wait', {'seconds': 1.0})),
]
NONSENSE: list[Tool] = [('move_forward', {'duration_s': 'long'}), ('fly', {})]
MASTS: dict[str, dict[str, Any]] = {
    '/adapter/mast_open': {'mast': 'open', 'mast_is_open': True},
    '/adapter/mast_close': {'mast': 'closed', 'mast_is_open': False},
    '/adapter/mast_rotate': {'mast': 'open', 'mast_is_open': True},
}
DRIVES = ('/adapter/move_forward', '/adapter/turn_left', '/adapter/turn_right')
DONE: Json = {'success': True, 'message': '{}', 'ok': True, 'score': 0.9, 'is_good': True}
REFUSED: Json = {'success': False, 'message': 'Not now', 'ok': False, 'error_reason': 'Not now'}
STATUS_EVERY_S = 0.5


class World:
    """Implements the port Robot; `now` in s is the time on every clock."""

    def __init__(self, inbox: Inbox, seed: int) -> None:
        self.rng = random.Random(seed)
        self.inbox = inbox
        self.now = 100.0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self._parts: dict[str, Any] = dict(MASTS['/adapter/mast_close'])
        self._moving = False
        self._x = 0.0
        self._percent = 100.0
        self._heartbeat = Heartbeat('soak', 0, 0.0)
        self._active_calls: set[str] = set()  # ids of calls of actions
        self._publish_status()

    # --- time

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        """Call a function after a delay."""
        heapq.heappush(self._due, (self.now + seconds, next(self._numbers), act))

    def put(self, seconds: float, event: Input) -> None:
        """Put an event into the inbox after a delay."""
        self.later(seconds, lambda: self.inbox.put(event))

    @property
    def next_at(self) -> float:
        """When something happens next."""
        return self._due[0][0]

    def pass_time(self, until: float) -> None:
        """Execute what is due by then."""
        while self._due and self._due[0][0] <= until:
            self.now, _, act = heapq.heappop(self._due)
            act()
        self.now = until

    def _publish_status(self) -> None:
        self._x += 0.2 * self._moving
        status = AdapterStatus(
            'soak',
            moving=self._moving,
            at_rest=not self._moving,
            heartbeat=self._heartbeat.number,
            details=self._parts,
        )
        self.inbox.put(StatusReceived(self.now, status))
        self.inbox.put(PoseReceived(self.now, self._x, 0.0, 0.0, 0.0, self.now))
        self.inbox.put(BatteryReceived(self.now, self._percent))
        self.later(STATUS_EVERY_S, self._publish_status)

    # --- the port

    def ready(self, endpoint: Endpoint) -> bool:
        """See `Robot.ready`."""
        del endpoint
        return True

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """See `Robot.send`. One answer in ten is a refusal, one in fifty never comes."""
        del arguments, goal_id
        lot = self.rng.random()
        if endpoint.kind == 'action':
            self._send_goal(server_call_id, lot)
        elif lot > 0.02:
            fields = REFUSED if lot < 0.1 else DONE
            self.later(0.05, lambda: self._served(server_call_id, endpoint.name, fields))

    def adopt(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.adopt`. Its servers know nothing of a previous run."""
        del endpoint, goal_id
        self.put(0.05, ServerCallUpdate(server_call_id, CallInput.LOSE, reason='It is not known'))

    def cancel(self, server_call_id: str) -> None:
        """See `Robot.cancel`."""
        if server_call_id in self._active_calls:
            self._active_calls.discard(server_call_id)
            self._moving = False
            self.put(0.05, ServerCallUpdate(server_call_id, CallInput.CANCEL_ACCEPTED))
            self.put(0.1, ServerCallUpdate(server_call_id, CallInput.CANCELLED))

    def cancel_again(self, server_call_id: str, endpoint: Endpoint, goal_id: str) -> None:
        """See `Robot.cancel_again`. Its servers know nothing of a call that was given up."""
        del endpoint, goal_id
        self.put(0.05, ServerCallUpdate(server_call_id, CallInput.LOSE, reason='It is not known'))

    def permit(self, permit: Permit) -> Heartbeat:
        """See `Robot.permit`. Without a permit nothing moves."""
        self._heartbeat = Heartbeat('soak', self._heartbeat.sequence + 1, self.now, permit)
        self._moving &= bool(permit.motion)
        return self._heartbeat

    def stop(self, server_call_id: str, past_the_adapter: bool) -> None:
        """See `Robot.stop`."""
        self._moving = False
        name = ROVER_STOP if past_the_adapter else ADAPTER_STOP
        self.later(0.02, lambda: self._served(server_call_id, name, DONE))

    def _send_goal(self, server_call_id: str, lot: float) -> None:
        if lot < 0.05:
            self.put(0.05, ServerCallUpdate(server_call_id, CallInput.REJECT))
            return
        self._active_calls.add(server_call_id)
        self._moving = True
        self.put(0.05, ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        for number in range(3):
            left = {'distance_left': 3.0 - number, 'time_left': 6.0 - 2.0 * number}
            self.put(0.5 + number, ServerCallUpdate(server_call_id, CallInput.PROGRESS, left))
        how = CallInput.FAIL if lot < 0.1 else CallInput.SUCCEED
        self.later(4.0, lambda: self._arrived(server_call_id, how))

    def _arrived(self, server_call_id: str, how: CallInput) -> None:
        if server_call_id in self._active_calls:
            self._active_calls.discard(server_call_id)
            self._moving = False
            self.inbox.put(
                ServerCallUpdate(server_call_id, how, {'error_code': '', 'message': ''})
            )

    def _served(self, server_call_id: str, name: str, fields: Json) -> None:
        if fields is DONE:
            self._parts.update(MASTS.get(name, {}))
            self._moving |= name in DRIVES and bool(self._heartbeat.permit.motion)
        self.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, fields))

    # --- people

    def ask(self, number: int) -> str:
        """Send a goal or a single tool; one goal in eight is disturbed."""
        rng, task_id = self.rng, f'goal-{number}'
        fields: dict[str, Any] = {
            'priority': rng.choice([0, 0, 0, 1, 2]),
            'preemptible': rng.random() < 0.8,
            'approve_all': rng.random() < 0.25,
            'deadline': self.now + 3.0 if rng.random() < 0.05 else None,
        }
        if rng.random() < 0.2:
            fields['tool'], fields['arguments'] = rng.choice(TOOLS)
        task = Task(
            task_id, f'Have a look, for the {number}th time', received_at=self.now, **fields
        )
        self.inbox.put(GoalReceived(task))
        if rng.random() < 0.125:
            rng.choice(self._disturbances(task_id))()
        return task_id

    def answer(self, request_id: str) -> None:
        """Answer a request for approval, or not."""
        wanted = self.rng.choice(['approve', 'approve', 'reject', ''])
        if wanted == 'approve':
            self.put(0.5, ApprovalGiven(request_id, 'approve'))
        elif wanted == 'reject':
            self.put(0.5, ApprovalGiven(request_id, 'reject', word='Not there'))

    def _disturbances(self, task_id: str) -> list[Callable[[], None]]:
        at = self.rng.uniform(0.0, 6.0)

        def pause() -> None:
            self.put(at, PauseRequested('somebody'))
            self.put(at + 2.0, ResumeRequested('somebody'))

        def make_safe() -> None:
            self.put(at, SafetyEvent('A cliff ahead', 'the lidar'))
            for number in range(1, 4):
                self.put(at + 2.0 * number, ResetRequested('somebody'))

        def run_low() -> None:
            self.later(at, lambda: self._charge(15.0))
            self.later(at + 4.0, lambda: self._charge(100.0))

        return [
            *(pause, make_safe, run_low),
            lambda: self.put(at, StopRequested('somebody')),
            lambda: self.put(at, GoalCancelled(task_id, 'a client cancelled the goal')),
        ]

    def _charge(self, percent: float) -> None:
        self._percent = percent


class SoakPlanner:
    """Proposes up to four tools for a goal, sometimes nonsense, and answers; at times it fails."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._left = 0
        self._next: PlannerOutput | None = None
        self._calls = 0
        self._active = False

    def start(self, goal: str, context: PlannerContext) -> None:
        """See `Planner.start`."""
        del goal
        self._active, self._calls = True, 0
        self._left = max(self._rng.randint(0, 4) - len(context.history), 0)
        self._think()

    def poll(self) -> PlannerOutput | None:
        """See `Planner.poll`."""
        output, self._next = self._next, None
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        """See `Planner.give`."""
        del result, barred
        if self._active:
            self._think()

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        self._active, self._next = False, None

    def news(self) -> tuple[PlannerNews, ...]:
        """See `Planner.news`."""
        return ()

    def use(self) -> ModelUse:
        """See `Planner.use`."""
        return ModelUse(self._calls, 500 * self._calls, 40 * self._calls, 0.001 * self._calls)

    def close(self, within_s: float = 0.0) -> None:  # noqa: ARG002 - the port's signature
        """See `Planner.close`."""
        self.cancel()

    def _think(self) -> None:
        self._calls += 1
        if self._left <= 0:
            failed = self._rng.random() < 0.05
            self._next = PlannerFailure('No model') if failed else Answer('Bright sand.')
            return
        self._left -= 1
        choices = NONSENSE if self._rng.random() < 0.1 else TOOLS
        tool, arguments = self._rng.choice(choices)
        self._next = Proposal(f'tool-{self._calls}', tool, arguments, 'I want to see more.')
