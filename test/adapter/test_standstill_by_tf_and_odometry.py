"""What transforms and odometry say together of a rover that should stand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_adapter.standstill_by_tf_and_odometry import RESTLESS_S, StandstillMonitor
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform

SETTINGS = load_config().curiosity.motion
STEP_S = 0.1
SPEED_M_S = 0.243

# What a source does: tells the truth, says nothing, says the same with new stamps or with old
# ones, is of another clock, or jumps.
SOURCES = ('true', 'silent', 'constant', 'repeated', 'ahead', 'jumping')


class World:
    """A rover, its two sources, and what is made of them."""

    def __init__(self) -> None:
        self.now, self.x = 100.0, 0.0
        self.transforms = self.odometry = 'silent'
        self.witnesses = StandstillMonitor(SETTINGS)
        self._told: dict[bool, Transform] = {}
        self._steps: Iterator[int] = count()

    def go(self, seconds: float, speed: float = 0.0) -> None:
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            self.x += speed * STEP_S
            step, now = next(self._steps), Now.at(self.now)
            self.witnesses.update(self._tell(self.transforms, True, step), now)
            place = self._tell(self.odometry, False, step)
            if place is not None:
                self.witnesses.update_odometry(place, now)

    def _tell(self, source: str, key: bool, step: int) -> Transform | None:
        before = self._told.get(key)
        if source == 'silent' or (source == 'repeated' and before is None):
            return None
        if source == 'repeated':
            return before
        x = before.x if source == 'constant' and before else self.x
        x += {'jumping': 5.0 * (step // 5 % 2)}.get(source, 0.0)
        stamp = self.now + (1000.0 if source == 'ahead' else 0.0)
        self._told[key] = Transform.planar(x, 0.0, 0.0, stamp)
        return self._told[key]

    @property
    def stands(self) -> bool | None:
        rolls = self.witnesses.rolls(self.now)
        return None if rolls is None else not rolls


@pytest.fixture
def world() -> World:
    return World()


def test_a_rover_of_which_no_pose_ever_came_stands_as_far_as_is_known(world: World) -> None:
    world.go(10.0, SPEED_M_S)
    assert world.stands is True
    assert world.witnesses.doubt(world.now) is None
    assert world.witnesses.moves(world.now) is None


@pytest.mark.parametrize('moves', [False, True])
@pytest.mark.parametrize(
    ('transforms', 'odometry', 'known'),
    [
        ('true', 'true', True),
        ('true', 'silent', False),  # transforms are made from odometry
        ('silent', 'true', True),
        ('silent', 'silent', False),
        ('repeated', 'repeated', False),
        ('repeated', 'true', True),
        ('true', 'repeated', False),
        ('ahead', 'true', True),
    ],
)
def test_a_source_that_falls_silent_is_no_witness_and_the_other_may_be_one(
    world: World, transforms: str, odometry: str, known: bool, moves: bool
) -> None:
    world.transforms = world.odometry = 'true'
    world.go(2.0)
    assert world.stands is True
    world.transforms, world.odometry = transforms, odometry
    world.go(3.0, SPEED_M_S * moves)
    if moves and 'true' in (transforms, odometry):
        assert world.stands is False
        assert world.witnesses.moves(world.now) is True
    else:
        assert world.stands is (True if known else None)
        assert (world.witnesses.doubt(world.now) is None) is known


def test_a_witness_with_too_few_poses_since_the_stop_is_not_said_to_move(world: World) -> None:
    world.transforms = world.odometry = 'true'
    world.go(2.0)
    world.witnesses.expect_rest()
    world.transforms = 'repeated'
    world.go(0.5)
    doubt = world.witnesses.doubt(world.now)
    assert world.stands is None
    assert doubt is not None
    assert 'by its transforms it is not measured yet, by odometry it stands' in doubt.sentence


@pytest.mark.parametrize('lying', ['transforms', 'odometry'])
def test_two_that_disagree_are_not_believed_and_one_of_them_alone_is_not_either(
    world: World, lying: str
) -> None:
    world.transforms = world.odometry = 'true'
    world.go(2.0)
    setattr(world, lying, 'constant')
    world.go(2.0, SPEED_M_S)
    assert world.stands is None
    assert world.witnesses.moves(world.now) is True, 'a stop does no harm'
    doubt = world.witnesses.doubt(world.now)
    assert doubt is not None
    assert 'by odometry it' in doubt.sentence
    world.transforms = 'silent'
    world.go(2.0)
    assert world.stands is None
    doubt = world.witnesses.doubt(world.now)
    assert doubt is not None
    assert 'did not agree' in doubt.sentence
    world.transforms = world.odometry = 'true'
    world.witnesses.expect_motion()
    world.go(1.0, SPEED_M_S)
    world.witnesses.expect_rest()
    world.transforms = 'silent'
    world.go(2.0)
    assert world.stands is True, 'they have agreed again'


def test_a_rover_that_moved_by_itself_is_believed_after_a_while_at_rest(world: World) -> None:
    """A stop without effect and a velocity of zero fight: it stands for moments."""
    world.transforms = world.odometry = 'true'
    world.go(1.0)
    world.witnesses.expect_motion()
    world.go(1.0, SPEED_M_S)
    world.witnesses.expect_rest()
    world.go(1.0, SPEED_M_S)
    for _ in range(10):
        world.go(0.5)
        assert world.stands is False
        world.go(0.3, SPEED_M_S)
    world.go(RESTLESS_S - 0.2)
    assert world.stands is False
    world.go(1.0)
    assert world.stands is True


def test_stops_that_are_repeated_do_not_keep_a_rover_from_being_seen_to_stand(
    world: World,
) -> None:
    world.odometry = 'true'
    world.go(1.0)
    world.witnesses.expect_motion()
    world.go(1.0, SPEED_M_S)
    world.witnesses.expect_rest()
    world.go(2.0, SPEED_M_S)
    for _ in range(10):
        world.witnesses.expect_rest()
        world.go(0.4)
    assert world.stands is True


@given(
    before=st.tuples(st.sampled_from(SOURCES), st.sampled_from(SOURCES)),
    after=st.tuples(st.sampled_from(SOURCES), st.sampled_from(SOURCES)),
    asked=st.booleans(),
)
@pytest.mark.slow
def test_a_moving_rover_is_never_seen_to_stand_unless_its_only_witness_lies(
    before: tuple[str, str], after: tuple[str, str], asked: bool
) -> None:
    world = World()
    world.transforms = world.odometry = 'true'
    world.go(1.0)
    world.transforms, world.odometry = before
    if asked:
        world.witnesses.expect_motion()
    world.go(2.0, SPEED_M_S)
    if asked:
        world.witnesses.expect_rest()
    world.transforms, world.odometry = after
    world.go(2.0, SPEED_M_S)
    lies = 'constant' in after and not {'true', 'ahead', 'jumping'} & {*after}
    assert lies or world.stands is not True


SEVERAL = '2 publishers on /odometry (/rover, /stranger): let only one publish there'


@pytest.mark.parametrize('speed', [0.0, SPEED_M_S])
@pytest.mark.parametrize('transforms', SOURCES)
def test_odometry_of_several_publishers_is_no_witness_and_nothing_stands_without_it(
    world: World, transforms: str, speed: float
) -> None:
    world.transforms = world.odometry = 'true'
    world.go(3.0)
    assert world.stands is True
    world.transforms, world.odometry = transforms, 'constant'
    world.witnesses.invalidate_odometry(SEVERAL)
    for _ in range(20):
        world.go(0.2, speed)
        assert world.stands is not True
    doubt = world.witnesses.doubt(world.now)
    assert doubt is not None
    assert SEVERAL in doubt.sentence
    world.transforms = world.odometry = 'true'
    world.witnesses.invalidate_odometry('')
    world.go(5.0)
    assert world.stands is True
