"""The adapter without ROS, against a rover with a mast and a latch, for Hypothesis to drive.

What is asserted is the ground truth of the rover, not what the adapter believes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import partial
import math

from fakes.adapter import FakeClient
from fakes.common import FakeFuture
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.mast_state import MastCommand
from curiosity_adapter.rover_services import RoverClient
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform
from rover_common.permit import NO_PERMIT, Heartbeat, Permit

CONFIG = load_config(None, ['curiosity.mast.settle_s=0.1', 'curiosity.motion.longest_s=4.0'])
SETTINGS = CONFIG.curiosity
MOTIONS = ('move_forward', 'turn_left', 'turn_right')
MASTS: dict[MastCommand, float] = {'mast_open': 0.0, 'mast_close': SETTINGS.mast.closed_tilt_rad}
SERVICES = (*MOTIONS, 'move_stop', *MASTS)
STEP_S = SETTINGS.deadman.check_period_s
TILT_RAD_S = 3.0
SPEED_M_S = 0.243  # of a turn: slower than ahead
# The rover takes a request in this time at most, and answers in this time after it was sent: the
# adapter waits longer.
TAKEN_S, ANSWERED_S = 0.4, 0.8
assert SETTINGS.motion.service_wait_s > ANSWERED_S
# A stop is sent within two looks of the adapter, and surely counts after a start that was late.
SENT_S = 2.0 * STEP_S
STOPPED_S = ANSWERED_S + TAKEN_S + 2.0 * STEP_S
# What must end every motion, and how long it may have lasted by then.
LIMITS = {
    'the executive is silent': SETTINGS.deadman.timeout_s,
    'the joints are not heard': SETTINGS.mast.joint_states_max_age_s,
    'the mast is out': 0.0,
    'it rolls': SETTINGS.motion.longest_s,
}


@dataclass(eq=False)
class Request:
    """What the adapter has asked a service of the rover, and when, in s."""

    name: str
    at: float
    answer: FakeFuture


def let_go(calls: list[Coroutine[FakeFuture, None, object]]) -> None:
    """Lets every call go as far as it can; those that have ended leave the list."""
    waiting, calls[:] = list(calls), []
    for call in waiting:
        try:
            call.send(None)
        except StopIteration:
            continue
        calls.append(call)


class AnyAdapter(RuleBasedStateMachine):
    """Callers, heartbeats, joints and answers in any order, in steps of the adapter's timer."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.rolling = False
        self.tilt = self.tilt_goal = 0.0
        self.beating = self.sighted = True
        self.strangers = self.brakes_fail = False
        self.way = 0.0
        self.located, self.odometry = True, False
        self.told = -1
        self.pose: Transform | None = None
        self.since: dict[str, float] = {}
        self.stopped_at = -1.0
        self.motions = self.heartbeats = 0
        self.permit = NO_PERMIT
        self.queues: dict[str, deque[Request]] = {name: deque() for name in SERVICES}
        self.taken: list[Request] = []
        self.calls: list[Coroutine[FakeFuture, None, object]] = []
        self.waiter = ConditionWaiter(lambda: self.now, FakeFuture)
        names = {name: f'/{name}' for name in SERVICES}
        clients = {name: FakeClient(partial(self.asked, name)) for name in SERVICES}
        self.parts = AdapterParts(
            CONFIG,
            RoverClient(clients, names, object, lambda: None, self.waiter, SETTINGS.motion),
            self.waiter,
            self.calls.append,
            Clocks(lambda: self.now, lambda: self.now),
            on_change=self.react,
            on_halt=lambda _reason: None,
        )
        self.all_goes_well(steps=4)

    def teardown(self) -> None:
        for call in self.calls:
            call.close()

    # --- the rover -----------------------------------------------------------------------------

    def asked(self, name: str, answer: FakeFuture) -> None:
        self.queues[name].append(Request(name, self.now, answer))
        if name == 'move_stop':
            self.stopped_at = self.now

    def take(self, name: str) -> None:
        request = self.queues[name].popleft()
        if name in MASTS:
            self.tilt_goal = MASTS[name]
        else:
            self.rolling = name in MOTIONS or (self.rolling and self.brakes_fail)
            self.motions += name in MOTIONS
        self.taken.append(request)

    def move_on(self) -> None:
        turn = TILT_RAD_S * STEP_S
        self.tilt += max(-turn, min(turn, self.tilt_goal - self.tilt))
        self.way += SPEED_M_S * STEP_S * self.rolling
        for name, queue in self.queues.items():
            while queue and self.now - queue[0].at >= TAKEN_S:
                self.take(name)
        for request in [each for each in self.taken if self.now - each.at >= ANSWERED_S]:
            self.answer(request)

    def answer(self, request: Request) -> None:
        self.taken.remove(request)
        request.answer.set_result(True)

    @property
    def mast_out(self) -> bool:
        off = abs(self.tilt - SETTINGS.mast.closed_tilt_rad)
        return off > SETTINGS.mast.tolerance_rad

    # --- the adapter ---------------------------------------------------------------------------

    def react(self) -> None:
        tenths = math.floor(self.now * 10.0 + 1e-6)  # odometry comes at 10 Hz
        if self.located and tenths > self.told:
            self.told, self.pose = tenths, Transform.planar(self.way, 0.0, 0.0, tenths / 10.0)
        if self.odometry:
            self.parts.update_odometry(Transform.planar(self.way, 0.0, 0.0, tenths / 10.0))
        self.parts.watch(self.pose)
        self.waiter.evaluate()

    def go_on(self) -> None:
        """Lets every call go as far as it can, and the adapter see what came of it."""
        let_go(self.calls)
        self.react()

    def send_heartbeat(self) -> None:
        self.heartbeats += 1
        self.since.pop('the executive is silent', None)
        self.parts.receive_heartbeat(
            Heartbeat('executive', self.heartbeats, self.now, self.permit), self.now
        )

    # --- what happens --------------------------------------------------------------------------

    @initialize(strangers=st.booleans(), closed=st.booleans(), driving=st.booleans())
    def begin(self, strangers: bool, closed: bool, driving: bool) -> None:
        self.strangers = strangers
        if closed:
            self.call('mast_close')
            self.all_goes_well(steps=25)
        if closed and driving:
            self.call('turn_left')
            self.all_goes_well(steps=2)

    @rule(name=st.sampled_from(SERVICES))
    def call(self, name: str) -> None:
        if name in MASTS:
            self.calls.append(self.parts.mast.run(name))
        elif name == 'move_stop':
            self.calls.append(self.parts.base.stop())
        else:
            self.permit = Permit(name, self.permit.number + 1)
            if self.beating:
                self.send_heartbeat()
            self.calls.append(self.parts.base.start(name))
        self.go_on()

    @rule(steps=st.integers(1, 15))
    def time_passes(self, steps: int) -> None:
        for _ in range(steps):
            self.now += STEP_S
            self.move_on()
            if self.beating:
                self.send_heartbeat()
            self.parts.update()
            if self.sighted:
                names = (SETTINGS.mast.tilt_joint, SETTINGS.mast.pan_joint)
                self.parts.mast.update_joints(names, (self.tilt, 0.0))
            self.react()
            self.go_on()
            self.look_at_the_truth()

    @rule(steps=st.integers(1, 15))
    def all_goes_well(self, steps: int) -> None:
        """The rover takes and answers everything at once."""
        for _ in range(steps):
            for name in SERVICES:
                while self.queues[name]:
                    self.take(name)
            while self.taken:
                self.answer(self.taken[0])
            self.go_on()
            self.time_passes(steps=1)

    @rule(data=st.data())
    def the_rover_takes_a_request(self, data: st.DataObject) -> None:
        waiting = [name for name in SERVICES if self.queues[name]]
        if waiting:
            self.take(data.draw(st.sampled_from(waiting)))

    @rule(data=st.data())
    def an_answer_comes(self, data: st.DataObject) -> None:
        if self.taken:
            self.answer(data.draw(st.sampled_from(self.taken)))
            self.go_on()

    @rule(beating=st.booleans())
    def the_executive_comes_or_goes(self, beating: bool) -> None:
        self.beating = beating

    @rule(sighted=st.booleans())
    def the_joint_states_come_or_go(self, sighted: bool) -> None:
        self.sighted = sighted

    @rule(located=st.booleans())
    def the_transforms_come_or_go(self, located: bool) -> None:
        self.located = located

    @rule(odometry=st.booleans())
    def odometry_comes_or_goes(self, odometry: bool) -> None:
        self.odometry = odometry

    @rule(fail=st.booleans())
    def stops_have_an_effect_or_none(self, fail: bool) -> None:
        """The rover's service answers, and the rover rolls on."""
        self.brakes_fail = fail
        self.since.clear()

    @precondition(lambda self: self.strangers)
    @rule(tilt=st.sampled_from([0.0, 0.8, 1.57]))
    def a_stranger_moves_the_mast(self, tilt: float) -> None:
        self.tilt_goal = tilt

    # --- what must hold ------------------------------------------------------------------------

    @invariant()
    def it_never_rolls_with_the_mast_out(self) -> None:
        assert self.strangers or not (self.rolling and self.mast_out)

    def look_at_the_truth(self) -> None:
        holds = {
            'the executive is silent': not self.beating,
            'the joints are not heard': not self.sighted,
            'the mast is out': self.mast_out and self.sighted,
            'it rolls': self.rolling,
        }
        self.since = {why: self.since.get(why, self.now) for why, now in holds.items() if now}
        self.it_never_rolls_with_the_mast_out()
        for why, since in self.since.items():
            lasted = self.now - since - LIMITS[why]
            if self.brakes_fail:  # no stop helps; the mast stays closed
                return
            if self.rolling and lasted > SENT_S:
                assert self.stopped_at >= since - SETTINGS.motion.stop_retry_s, why
            if lasted > STOPPED_S:
                assert not self.rolling, why
