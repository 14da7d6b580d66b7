"""The base against a rover that has ceased to answer."""

from __future__ import annotations

import asyncio

from fakes.adapter import FakeClient
import pytest

from curiosity_adapter import base_motions
from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.mast_state import MastCommand
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.start_and_stop_requests import MOST_STOPS
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.load import load_config
from rover_common.config.settings import RoverServices
from rover_common.geometry.transforms import Transform
from rover_common.reason import Reason, sentence_of


class Bench:
    """The adapter's parts, with the mast closed, in time of our own; by default in manual mode."""

    def __init__(self, manual: bool = True) -> None:
        self.now = 0.0
        self.pose: Transform | None = None
        self.standstills = 0  # how often the wheels were told to stand still
        self.clients = {name: FakeClient() for name in RoverServices.model_fields}
        config = load_config(None, [f'curiosity.deadman.manual_mode={str(manual).lower()}'])
        self.mast = config.curiosity.mast
        self.pose_max_age_s = config.curiosity.motion.pose_max_age_s
        self._waiter = ConditionWaiter(
            lambda: self.now, lambda: asyncio.get_running_loop().create_future()
        )
        names = dict.fromkeys(self.clients, '')
        rover = RoverClient(
            self.clients, names, object, self._stand_still, self._waiter, config.curiosity.motion
        )
        self.parts = AdapterParts(
            config,
            rover,
            self._waiter,
            asyncio.ensure_future,
            Clocks(lambda: self.now, lambda: self.now),
            on_change=self._waiter.evaluate,
            on_halt=lambda _reason: None,
        )

    def _stand_still(self) -> None:
        self.standstills += 1

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.parts.mast.update_joints([self.mast.tilt_joint], [self.mast.closed_tilt_rad])
        self.parts.watch(self.pose)
        self._waiter.evaluate()

    def answer(self, name: str) -> None:
        """To all that was asked of the service so far."""
        for answer in self.clients[name].waiting:
            if not answer.done():
                answer.set_result(True)


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def turns_of_the_loop() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_the_wheels_are_told_to_stand_for_as_long_as_a_stop_has_no_answer(bench: Bench) -> None:
    for looks in (1, 2, 3):
        bench.pass_time(0.05)
        assert bench.standstills == looks
    bench.answer('move_stop')
    bench.pass_time(0.05)
    assert bench.standstills == 3
    bench.clients['move_stop'].there = False
    bench.parts.base.call_off()
    for looks in (4, 5):
        bench.pass_time(0.05)
        assert bench.standstills == looks, 'a service that is not there is no reason to roll on'


def test_a_stop_after_a_late_start_reaches_the_wheels_although_nobody_offers_it() -> None:
    bench = Bench(manual=False)
    stops = bench.parts.base._requests._stops
    bench.pass_time(0.1)
    bench.answer('move_stop')
    stops.start_sent(bench.now)
    stops.start_settled()
    bench.parts.base.call_off()
    bench.answer('move_stop')
    bench.clients['move_stop'].there = False
    told_before = bench.standstills
    bench.pass_time(1.0)
    assert bench.standstills == told_before + 1


def test_a_stop_ends_a_start_that_came_before_it_and_still_waits(bench: Bench) -> None:
    async def story() -> tuple[Reason[Cause] | None, Reason[Cause] | None]:
        bench.pass_time(0.1)  # the stop that is owed from the beginning is sent
        start = asyncio.ensure_future(bench.parts.base.start('move_forward'))
        await turns_of_the_loop()
        stop = asyncio.ensure_future(bench.parts.base.stop())
        await turns_of_the_loop()
        bench.answer('move_stop')
        bench.pass_time(0.1)
        await turns_of_the_loop()
        bench.pass_time(4.0)  # nobody waits for longer
        await turns_of_the_loop()
        return await start, await stop

    refused, stopped = asyncio.run(story())
    assert bench.clients['move_forward'].asked == 0
    assert sentence_of(refused) == 'move_forward was not completed: move_stop was called'
    assert stopped is None


def test_a_start_after_a_stop_begins_when_the_stop_was_answered(bench: Bench) -> None:
    async def story() -> None:
        bench.pass_time(0.1)
        stop = asyncio.ensure_future(bench.parts.base.stop())
        await turns_of_the_loop()
        start = asyncio.ensure_future(bench.parts.base.start('move_forward'))
        await turns_of_the_loop()
        bench.answer('move_stop')
        bench.pass_time(0.1)
        await turns_of_the_loop()
        assert await stop is None
        bench.answer('move_forward')
        bench.pass_time(0.1)
        assert await start is None
        told_before = bench.standstills
        for _ in range(50):
            bench.pass_time(0.1)
        assert bench.standstills == told_before, 'it drives'

    asyncio.run(story())
    assert bench.clients['move_forward'].asked == 1


def test_a_start_waits_for_a_stop_that_was_sent_before_it_had_its_turn(bench: Bench) -> None:
    async def story() -> None:
        bench.pass_time(0.1)
        start = asyncio.ensure_future(bench.parts.base.start('move_forward'))
        await turns_of_the_loop()
        bench.answer('move_stop')
        bench.pass_time(0.1)  # the start may begin, but others have their turn first
        bench.parts.base.call_off()
        await turns_of_the_loop()
        assert bench.clients['move_forward'].asked == 0
        bench.answer('move_stop')
        bench.pass_time(0.1)
        await turns_of_the_loop()
        bench.answer('move_forward')
        bench.pass_time(0.1)
        assert await start is None

    asyncio.run(story())
    assert bench.clients['move_forward'].asked == 1


def test_stops_that_are_never_answered_do_not_pile_up_and_the_latest_counts(bench: Bench) -> None:
    for _ in range(3 * MOST_STOPS):
        bench.pass_time(1.0)
    stops = bench.clients['move_stop']
    assert stops.asked == 3 * MOST_STOPS
    assert len(stops.waiting) == MOST_STOPS
    stops.waiting[-1].set_result(True)
    bench.pass_time(1.0)
    assert stops.asked == 3 * MOST_STOPS


def stand(bench: Bench, seconds: float) -> None:
    """Poses of a rover that stands come for so long."""
    end = bench.now + seconds
    while bench.now < end:
        bench.pose = Transform.planar(0.0, 0.0, 0.0, stamp=bench.now)
        bench.pass_time(0.1)


def test_a_stop_of_a_rover_that_is_seen_to_stand_leaves_it_at_rest(bench: Bench) -> None:
    bench.pass_time(0.1)
    bench.answer('move_stop')
    stand(bench, 2.0)
    assert bench.parts.base.stands
    asked = bench.clients['move_stop'].asked
    bench.parts.base.call_off()
    assert bench.clients['move_stop'].asked == asked + 1, 'it is sent all the same'
    assert bench.parts.base.stands, 'nothing has set the rover off'


def test_a_stop_is_confirmed_although_another_one_comes_before_that_is_answered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said that the rover had not answered within 3 s, 0.4 s after it had been asked."""
    monkeypatch.setattr(base_motions, 'PROOF_S', 5.0)  # transforms are slower than odometry

    async def story() -> Reason[Cause] | None:
        for x in (-0.3, -0.2, -0.1, 0.0):
            bench.pose = Transform.planar(x, 0.0, 0.0, stamp=bench.now)
            bench.pass_time(0.1)
        stopping = asyncio.ensure_future(bench.parts.base.stop())
        await turns_of_the_loop()
        bench.answer('move_stop')
        await turns_of_the_loop()
        assert not stopping.done(), 'it still rolls'
        while not bench.parts.base.stands:  # and who waits has no turn meanwhile
            stand(bench, 0.1)
        bench.now += 0.4
        bench.parts.base.call_off()
        assert bench.parts.base.stop_owed
        return await stopping

    assert asyncio.run(story()) is None


@pytest.mark.parametrize(
    'unseen',
    ['a start may come', 'its pose is old', 'no pose ever came', 'the adapter stood still'],
)
def test_a_stop_is_owed_unless_the_rover_surely_stands(bench: Bench, unseen: str) -> None:
    bench.pass_time(0.1)
    bench.answer('move_stop')
    if unseen != 'no pose ever came':
        stand(bench, 2.0)
    if unseen == 'a start may come':
        bench.parts.base._requests._stops.start_sent(bench.now)
        bench.parts.base._requests._stops.start_settled()
    elif unseen == 'its pose is old':
        bench.pass_time(bench.pose_max_age_s + 0.1)
    elif unseen == 'the adapter stood still':
        bench.now += 0.4
    bench.parts.base.call_off()
    assert bench.parts.base.stop_owed


@pytest.mark.parametrize('answered', [True, False])
def test_no_mast_command_is_sent_while_a_stop_is_owed(bench: Bench, answered: bool) -> None:
    async def story() -> Reason[Cause] | None:
        bench.pass_time(0.1)  # the stop that is owed from the beginning is sent
        opening = asyncio.ensure_future(bench.parts.mast.run('mast_open'))
        await turns_of_the_loop()
        bench.pass_time(0.1)
        await turns_of_the_loop()
        assert not bench.clients['mast_open'].asked
        if answered:
            bench.answer('move_stop')
        bench.pass_time(0.1)
        await turns_of_the_loop()
        assert bench.clients['mast_open'].asked == answered
        bench.pass_time(4.0)  # nobody waits for longer
        await turns_of_the_loop()
        return await opening

    refused = sentence_of(asyncio.run(story()))
    assert bench.clients['mast_open'].asked == answered
    assert answered or refused == 'Move in progress'


def test_a_stop_that_was_answered_before_the_start_is_not_called_unanswered(bench: Bench) -> None:
    async def story() -> None:
        bench.pass_time(0.1)
        bench.answer('move_stop')
        bench.pass_time(0.1)
        starting = asyncio.ensure_future(bench.parts.base.start('move_forward'))
        await turns_of_the_loop()
        assert bench.clients['move_forward'].asked
        stopping = asyncio.ensure_future(bench.parts.base.stop())
        await turns_of_the_loop()
        assert 'did not answer' in bench.parts.base.not_at_rest().sentence
        bench.answer('move_stop')  # and the start has no answer yet
        await turns_of_the_loop()
        assert bench.parts.base.stop_owed
        assert 'answered a stop, but a motion' in bench.parts.base.not_at_rest().sentence
        starting.cancel()
        stopping.cancel()

    asyncio.run(story())


@pytest.mark.parametrize('settled_by', ['its answer', 'a later one', 'its server has gone'])
def test_no_motion_begins_while_a_mast_command_may_still_begin(
    bench: Bench, settled_by: str
) -> None:
    async def ask(command: MastCommand) -> asyncio.Task[Reason[Cause] | None]:
        task = asyncio.ensure_future(bench.parts.mast.run(command))
        await turns_of_the_loop()
        return task

    async def drive() -> str:
        start = asyncio.ensure_future(bench.parts.base.start('move_forward'))
        await turns_of_the_loop()
        bench.answer('move_forward')
        bench.pass_time(4.0)  # nobody waits for longer
        await turns_of_the_loop()
        return sentence_of(await start)

    async def story() -> None:
        bench.pass_time(0.1)
        bench.answer('move_stop')
        bench.pass_time(0.1)
        opening = await ask('mast_open')
        assert bench.clients['mast_open'].asked
        bench.pass_time(4.0)  # the rover's process stands still
        await turns_of_the_loop()
        assert 'did not answer' in sentence_of(await opening)
        assert 'mast_open was not answered and may still begin' in await drive()
        closing = await ask('mast_close')
        bench.answer('mast_close')  # tells nothing of the other service
        bench.pass_time(30.0)
        await turns_of_the_loop()
        await closing
        assert 'mast_open was not answered' in await drive()
        if settled_by == 'its answer':
            bench.answer('mast_open')
        elif settled_by == 'a later one':
            opening = await ask('mast_open')
            assert len(bench.clients['mast_open'].waiting) == 1, 'the first is not waited for'
            bench.answer('mast_open')
            bench.pass_time(30.0)
            await turns_of_the_loop()
            await opening
        else:
            bench.clients['mast_open'].there = False
            bench.pass_time(0.1)
        assert not await drive()

    asyncio.run(story())


@pytest.mark.parametrize('rolls_for_s', [0.3, 0.6, 20.0])
def test_a_motion_waits_for_a_rover_that_somebody_else_drives(
    bench: Bench, rolls_for_s: float
) -> None:
    async def story() -> Reason[Cause] | None:
        bench.pass_time(0.1)
        await turns_of_the_loop()
        bench.answer('move_stop')  # the one that is owed from the beginning
        await turns_of_the_loop()
        rolls_until = bench.now + rolls_for_s
        start = None
        for _ in range(60):
            x = 0.5 * min(bench.now, rolls_until)
            bench.pose = Transform.planar(x, 0.0, 0.0, stamp=bench.now)
            bench.pass_time(0.1)
            start = start or asyncio.ensure_future(bench.parts.base.start('move_forward'))
            await turns_of_the_loop()
            if bench.now <= rolls_until:
                assert not bench.clients['move_forward'].waiting
            bench.answer('move_forward')
            await turns_of_the_loop()
        assert start is not None
        return await start

    refused = asyncio.run(story())
    assert sentence_of(refused) == ('Move in progress' if rolls_for_s > 3.0 else '')
