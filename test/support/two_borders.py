"""Executive, adapter and rover without ROS, and between them a network that does what it likes.

Starts, stops, answers, heartbeats and statuses are delayed, lost, doubled and reordered by a
random generator whose seed is Hypothesis' (drawn one by one, fates would mostly be the
simplest ones), and executive, adapter and control stand still for a while, or control dies. The
executive's part is its real book-keeping (`Permits`, `StopConfirmation`), the adapter's part is
all of it. What is asserted is the truth of the rover.

At the rover's own border requests are Empty services: nothing tells control, which latches the
last motion, that a start is old. There a stop arrives in `TAKEN_S`, as services on one machine do,
and a start may come late or twice; then the rover rolls until the next stop, which is the bound
that is asserted there. The wheels keep the last velocity for ever, whoever published it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
import heapq
import itertools
import math
import random
from typing import Any

from any_adapter import let_go
from fakes.adapter import FakeClient
from fakes.common import FakeFuture
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from bt_executive.core.given_permits import Permits
from bt_executive.core.inputs import StatusReceived
from bt_executive.core.reduce_robot_inputs import with_status
from bt_executive.core.state import BrainState
from bt_executive.core.stop_confirmation import StopConfirmation
from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.status_report import report_of
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.load import load_config
from rover_common.permit import Heartbeat, Permit

CONFIG = load_config()
SETTINGS = CONFIG.curiosity
MOTIONS = ('move_forward', 'turn_left', 'turn_right')
STEP_S = 0.01
CHECK_STEPS = round(SETTINGS.deadman.check_period_s / STEP_S)
BEAT_STEPS = round(CONFIG.executive.tick.heartbeat_s / STEP_S)
TAKEN_S = 0.03  # a request at the rover, and its answer
STAND_S = 0.5  # what is promised
# A heartbeat that is older than this when it is read starts nothing.
YOUNG_S = SETTINGS.deadman.timeout_s
STRAY_S = SETTINGS.motion.stop_retry_s + 2.0 * CHECK_STEPS * STEP_S + 2.0 * TAKEN_S
LATE_S = SETTINGS.motion.service_wait_s
START_LATE_S = 0.9 * LATE_S  # a start comes so late at the latest
REPEAT_STEPS = 10  # control repeats what it has latched
STANDSTILLS_S = (0.05, 0.24, 0.35, 0.5, 1.0, 3.0)
BEFORE_S = (0.0, 0.0, 0.05, 0.3, 2.0)  # from the permit to its withdrawal
AFTER_S = (0.0, 0.05, 0.3, 0.6, 2.0)


@dataclass(order=True)
class Flight:
    """Something on its way."""

    at: float
    number: int
    arrive: Callable[[], None] = field(compare=False)


class Network:
    """Delivers in order of arrival, which is not the order of sending."""

    def __init__(self) -> None:
        self._flights: list[Flight] = []
        self._numbers = itertools.count()

    def send(self, at: float, arrive: Callable[[], None]) -> None:
        heapq.heappush(self._flights, Flight(at, next(self._numbers), arrive))

    def deliver(self, now: float) -> None:
        while self._flights and self._flights[0].at <= now:
            heapq.heappop(self._flights).arrive()


class TwoBorders(RuleBasedStateMachine):
    """Drives are permitted and withdrawn at any moment, whatever the network does."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.steps = 100.0, 0
        self.chance = random.Random(0)
        self.network = Network()
        self.executive_sleeps = self.adapter_sleeps = self.control_sleeps = 0.0  # until then
        self.missed: list[Callable[[], None]] = []  # what waits for the adapter to wake up
        self.queue: list[Callable[[], None]] = []  # what waits for control to wake up
        self.control_is_dead_until = 0.0
        self.latched = False
        self.state = BrainState()
        self.heartbeats = 0
        self.heartbeat: Heartbeat | None = None
        self.permits = Permits(self.tell)
        self.stops = StopConfirmation()
        self.withdrawn_at: float | None = 0.0  # None: a motion is permitted
        self.started: dict[int, int] = {}  # permit → motions that the rover was asked for
        self.rolling = False
        self.requests = 0  # of the adapter to the rover
        # When the rover last took a start that was not permitted any more, or that came after
        # what the adapter asked for later; and whether what it took last was such a start.
        self.stray_at, self.stray = -math.inf, False
        self.slept_at = 0.0
        self.calls: list[Coroutine[Any, None, object]] = []
        self.waits = ConditionWaiter(lambda: self.now, FakeFuture)
        services = (*MOTIONS, 'move_stop', 'mast_open', 'mast_close', 'mast_rotate')
        self.parts = AdapterParts(
            CONFIG,
            RoverClient(
                {name: FakeClient(partial(self.asked, name)) for name in services},
                {name: f'/{name}' for name in services},
                object,
                self.tell_the_wheels,
                self.waits,
                SETTINGS.motion,
            ),
            self.waits,
            self.calls.append,
            Clocks(lambda: self.now, lambda: self.now),
            on_change=self.react,
            on_halt=lambda _reason: None,
        )

    def teardown(self) -> None:
        for call in self.calls:
            call.close()

    # --- the network -----------------------------------------------------------------------------

    def fates(self, latest_s: float) -> list[float]:
        """When the copies of a message arrive: none, one or two of them."""
        fate = self.chance.choice(['prompt', 'prompt', 'prompt', 'late', 'lost', 'doubled'])
        if fate == 'lost':
            return []
        prompt = self.now + self.chance.uniform(0.0, 0.01)
        late = self.now + self.chance.uniform(0.0, latest_s)
        return {'prompt': [prompt], 'late': [late], 'doubled': [prompt, late]}[fate]

    def to_the_adapter(self, latest_s: float, arrive: Callable[[], None]) -> None:
        for at in self.fates(latest_s):
            self.network.send(at, lambda: self.hear(arrive))

    def hear(self, arrive: Callable[[], None]) -> None:
        """What reaches an adapter that stands still is read when it wakes up."""
        if self.now < self.adapter_sleeps:
            self.missed.append(arrive)
        else:
            arrive()
            self.react()

    def asked(self, name: str, answer: FakeFuture) -> None:
        """The adapter asks the rover."""
        if name in MOTIONS:
            self.note_start()
            copies = self.fates(START_LATE_S)
        else:
            copies = [self.now + self.chance.uniform(0.0, TAKEN_S)]
        self.requests = number = self.requests + 1
        for at in copies:
            self.network.send(at, partial(self.reach, partial(self.take, name, number, answer)))

    def reach(self, take: Callable[[], None]) -> None:
        """What reaches a control that stands still is read when it wakes up; a dead one: never."""
        if self.now < self.control_is_dead_until:
            return
        if self.now < self.control_sleeps:
            self.queue.append(take)
        else:
            take()

    def tell_the_wheels(self) -> None:
        """A velocity of zero, past control; so many are lost that 20 a second remain."""
        if self.chance.random() < 0.2:
            self.network.send(self.now + self.chance.uniform(0.0, TAKEN_S), self.stand)

    def stand(self) -> None:
        self.rolling = False

    def control_steps(self) -> None:
        queue, self.queue = self.queue, []
        for take in queue:
            take()
        if self.steps % REPEAT_STEPS == 0 and self.latched:
            self.rolling = True

    def note_start(self) -> None:
        """The adapter begins a motion: was it permitted, and only once?"""
        holder = self.parts.permission.holder
        assert holder is not None
        self.started[holder[1]] = self.started.get(holder[1], 0) + 1
        assert self.started[holder[1]] == 1, 'a permit started two motions'
        ended_at = self.ended_at()
        if ended_at is not None:
            assert self.now - ended_at <= YOUNG_S, 'a withdrawn permit started a motion'

    def take(self, name: str, number: int, answer: FakeFuture) -> None:
        self.latched = self.rolling = name in MOTIONS
        self.stray = self.rolling and (number < self.requests or self.ended_at() is not None)
        if self.stray:
            self.stray_at = self.now
        if self.chance.random() < 0.9:  # the others are lost
            at = self.now + self.chance.uniform(0.0, TAKEN_S)
            self.network.send(at, lambda: None if answer.done() else answer.set_result(True))

    # --- the executive ---------------------------------------------------------------------------

    def tell(self, permit: Permit) -> Heartbeat:
        self.heartbeats += 1
        self.heartbeat = heartbeat = Heartbeat('life', self.heartbeats, self.now, permit)
        self.to_the_adapter(2.0, lambda: self.listen(heartbeat))
        return heartbeat

    def listen(self, heartbeat: Heartbeat) -> None:
        """What was wrong with it is not looked at."""
        self.parts.receive_heartbeat(heartbeat, self.now)

    def executive_steps(self) -> None:
        if self.stops.pending and self.stops.confirmed_by(self.state.robot):
            assert not self.rolling or self.stray, 'it was confirmed that it stands'
        if self.now >= self.stops.repeat_at():
            self.send_stop()

    def send_stop(self) -> None:
        self.stops.sent(self.permits.withdraw(), self.now)
        self.to_the_adapter(4.0, lambda: self.call(self.parts.base.stop()))

    def status_flies(self) -> None:
        status = report_of(self.parts.status(None, None), self.parts.measurements())
        for at in self.fates(3.0):
            self.network.send(at, lambda: self.see(status))

    def see(self, status: AdapterStatus) -> None:
        event = StatusReceived(self.now, status)
        self.state = with_status(self.state, event, CONFIG.robot.from_adapter)

    # --- the adapter -----------------------------------------------------------------------------

    def call(self, work: Coroutine[Any, None, object]) -> None:
        self.calls.append(work)

    def react(self) -> None:
        if self.now >= self.adapter_sleeps:
            self.parts.watch(None)
            self.waits.evaluate()

    def adapter_steps(self) -> None:
        missed, self.missed = self.missed, []
        for arrive in missed:
            arrive()
        if self.steps % CHECK_STEPS == 0:
            mast = SETTINGS.mast
            self.parts.mast.update_joints((mast.tilt_joint,), (mast.closed_tilt_rad,))
            self.parts.update()
            self.react()
            self.status_flies()
        let_go(self.calls)
        self.react()

    # --- what happens ----------------------------------------------------------------------------

    @initialize(seed=st.integers(0, 2**32))
    def begin(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.pass_time(0.5)

    @rule(
        motion=st.sampled_from(MOTIONS),
        before_s=st.sampled_from(BEFORE_S),
        after_s=st.sampled_from(AFTER_S),
        called_off=st.booleans(),
    )
    def drive(self, motion: str, before_s: float, after_s: float, called_off: bool) -> None:
        """A drive as the tree asks for one, unless the last stop is not confirmed yet."""
        if self.now < self.executive_sleeps or self.stops.pending:
            self.pass_time(0.5)
            return
        self.permits.give(motion)
        self.withdrawn_at = None
        self.to_the_adapter(4.0, lambda: self.call(self.parts.base.start(motion)))
        self.pass_time(before_s)
        if called_off:
            self.call_off()
        self.pass_time(after_s)

    @rule()
    def call_off(self) -> None:
        if self.now < self.executive_sleeps:
            return
        if self.withdrawn_at is None:
            self.withdrawn_at = self.now
        self.send_stop()

    @rule(seconds=st.sampled_from(STANDSTILLS_S))
    def the_executive_stands_still(self, seconds: float) -> None:
        self.slept_at, self.executive_sleeps = self.now, self.now + seconds

    @rule(seconds=st.sampled_from(STANDSTILLS_S))
    def the_adapter_stands_still(self, seconds: float) -> None:
        self.adapter_sleeps = self.now + seconds

    @rule(seconds=st.sampled_from(STANDSTILLS_S))
    def control_stands_still(self, seconds: float) -> None:
        self.control_sleeps = self.now + seconds

    @rule(seconds=st.sampled_from(STANDSTILLS_S))
    def control_dies(self, seconds: float) -> None:
        """The next one knows nothing of what was latched or asked."""
        self.control_sleeps = self.control_is_dead_until = self.now + seconds
        self.latched, self.queue = False, []

    @rule(seconds=st.floats(0.0, 2.0))
    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            self.steps += 1
            self.network.deliver(self.now)
            if self.now >= self.executive_sleeps:
                if self.steps % BEAT_STEPS == 0:
                    self.tell(self.permits.current)
                self.executive_steps()
            if self.now >= self.adapter_sleeps:
                self.adapter_steps()
            if self.now >= self.control_sleeps:
                self.control_steps()
            self.look_at_the_truth()

    # --- what must hold --------------------------------------------------------------------------

    def look_at_the_truth(self) -> None:
        """Within 0.5 s of the withdrawal the rover stands, counted while the adapter runs."""
        ended_at = self.ended_at()
        if ended_at is None or not self.rolling:
            return
        promised = max(ended_at, self.adapter_sleeps) + STAND_S
        assert self.now <= max(promised, self.stray_at + STRAY_S) + STEP_S, 'the rover rolls on'

    def ended_at(self) -> float | None:
        """Since when nothing is permitted; who stands still permits nothing."""
        if self.withdrawn_at is None and self.now < self.executive_sleeps:
            return self.slept_at
        return self.withdrawn_at


SLEEPERS: dict[str, Callable[[TwoBorders, float], None]] = {
    'executive': TwoBorders.the_executive_stands_still,
    'adapter': TwoBorders.the_adapter_stands_still,
    'control': TwoBorders.control_stands_still,
    'death': TwoBorders.control_dies,
}


def live_through(seed: int, events: int = 25) -> None:
    """One life of the three, all of it drawn from the seed."""
    world, chance = TwoBorders(), random.Random(seed)
    try:
        world.begin(seed)
        for _ in range(events):
            happens = chance.choice(['drive'] * 3 + ['call off', *SLEEPERS, 'time', 'time'])
            if happens == 'drive':
                before, after = chance.choice(BEFORE_S), chance.choice(AFTER_S)
                world.drive(chance.choice(MOTIONS), before, after, chance.random() < 0.5)
            elif happens == 'call off':
                world.call_off()
            elif happens == 'time':
                world.pass_time(chance.uniform(0.0, 2.0))
            else:
                SLEEPERS[happens](world, chance.choice(STANDSTILLS_S))
    finally:
        world.teardown()


def live_through_many(lives: int, first: int = 0) -> None:
    """So many lives, each from another seed. `first`: what comes of this one is known."""
    for seed in (first, *range(lives)):
        live_through(seed)
