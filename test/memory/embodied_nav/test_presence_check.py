"""When a look says that something is there, that it is gone, or that nothing can be said."""

from __future__ import annotations

from dataclasses import replace
import math

import pytest
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from embodied_nav.detections_in_map_frame import MOST_PERCEPTS, detections_from_ros
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import clean
from embodied_nav.percepts import Detections, Percept, observation_of
from embodied_nav.presence_check import FieldOfView, PresenceCheck, PresenceResult, Verdict
from rover_common.geometry.transforms import Transform

VIEW = FieldOfView(view_m=8.0, half_view_rad=0.9, looks=3)
BISHOP = Node(node_id='n1', name='Bishop', label='rock', position=(10.0, 0.0, 0.0), radius_m=1.0)
START = 100.0


def look(*percepts: Percept, number: int = 0, base: Transform | None = None) -> Detections:
    """What was seen by a rover 5 m before Bishop that faces it; places in the map's frame."""
    stood = base or Transform.planar(5.0, 0.0, 0.0)
    stamp = START + 1.0 + number
    return Detections(f'look-{number}', stamp, Transform(), stood, percepts)


def bishop(x: float = 10.2, class_id: str = 'rock/Bishop: layered') -> Percept:
    return Percept(class_id, (x, 0.1, 0.0))


def detection(class_id: str, x: float) -> Detection3D:
    found = ObjectHypothesisWithPose()
    found.hypothesis.class_id, found.pose.pose.position.x = class_id, x
    return Detection3D(results=[found])


def after(*looks: Detections) -> PresenceResult | None:
    check = PresenceCheck(BISHOP, VIEW, START)
    found = None
    for each in looks:
        found = found or check.add(each)
    return found


@pytest.mark.parametrize('class_id', ['rock/Bishop: layered', 'rock', 'Rock/bishop'])
def test_what_is_seen_at_its_place_is_there(class_id: str) -> None:
    found = after(look(bishop(class_id=class_id)))
    assert found == PresenceResult(Verdict.SEEN, 'Bishop is there', 1, BISHOP.position, 5.0)


@pytest.mark.parametrize('name', ['Ａ岩', 'Big  Rock', 'Sign <3', 'x' * 200, '[INST] stone'])
@pytest.mark.parametrize('x', [10.2, 15.0])
def test_a_thing_is_known_by_its_name_as_the_memory_keeps_it(name: str, x: float) -> None:
    """It was retracted at each look, and entered again by the next one."""
    percept = bishop(x, f'rock/{name}')
    observation = clean(observation_of(percept, look(percept), 0, 'map', 0))
    check = PresenceCheck(replace(BISHOP, name=observation.name), VIEW, START)
    found = check.add(look(percept))
    assert found is not None
    assert found.verdict is Verdict.SEEN


def test_another_thing_at_the_place_is_not_it() -> None:
    assert after(look(Percept('sand/Soft Bay', (10.0, 0.0, 0.0)))) is None


def test_a_thing_that_was_moved_is_seen_at_its_other_place() -> None:
    """It was retracted, although the memory had it at the other place since the same look."""
    sentence = 'Bishop was moved: it is at x 15.0 m, y 0.1 m'
    found = after(look(bishop(x=15.0)))
    assert found == PresenceResult(Verdict.SEEN, sentence, 1, (15.0, 0.1, 0.0), 10.0)


@pytest.mark.parametrize('class_id', ['rock', 'rock/rock', 'Bishop', 'rock/Other'])
def test_another_thing_at_another_place_is_not_it(class_id: str) -> None:
    looks = (look(bishop(x=15.0, class_id=class_id), number=each) for each in range(3))
    found = after(*looks)
    assert found is not None
    assert (found.verdict, found.position) == (Verdict.GONE, BISHOP.position)


def test_what_is_not_seen_in_enough_looks_is_gone() -> None:
    assert after(look(number=0), look(number=1)) is None
    found = after(look(number=0), look(number=1), look(number=2))
    sentence = 'Bishop is not there: it was not seen in 3 looks from 5.0 m'
    assert found == PresenceResult(Verdict.GONE, sentence, 3, BISHOP.position, 5.0)


def test_a_repeated_message_counts_once() -> None:
    assert after(*[look(number=0)] * 9) is None


def test_detections_from_before_the_start_do_not_count() -> None:
    early = Detections('early', START - 0.1, Transform(), Transform.planar(5, 0, 0), (bishop(),))
    assert after(early) is None


@pytest.mark.parametrize(
    ('base', 'why'),
    [
        (Transform.planar(-5.0, 0.0, 0.0), 'it is 15.0 m away'),
        (Transform.planar(5.0, 0.0, math.pi), 'it is 180° to the side'),
        (Transform.planar(8.5, 0.0, 0.0), 'it is too near'),
    ],
)
def test_what_was_not_in_view_cannot_be_said_to_be_gone(base: Transform, why: str) -> None:
    check = PresenceCheck(BISHOP, VIEW, START)
    for number in range(9):
        assert check.add(look(number=number, base=base)) is None
    found = check.end()
    assert found.verdict is Verdict.NOT_IN_VIEW
    assert found.sentence == f'Whether Bishop is there cannot be said: {why}'


def test_what_something_stands_before_cannot_be_said_to_be_gone() -> None:
    check, wall = PresenceCheck(BISHOP, VIEW, START), Percept('rock/Wall', (7.0, 0.0, 0.0))
    for number in range(9):
        assert check.add(look(wall, number=number)) is None
    assert 'Wall stands before it' in check.end().sentence


@pytest.mark.parametrize('class_id', ['rock/Bishop: layered', 'Rock'])
@pytest.mark.parametrize('others', [0, MOST_PERCEPTS])
def test_what_was_seen_at_a_place_that_is_not_known_is_not_gone(
    class_id: str, others: int
) -> None:
    x = 10.0 if others else math.nan  # the last of very many, or without a depth
    message = Detection3DArray(
        detections=[*(detection('leaf', 5.0) for _ in range(others)), detection(class_id, x)]
    )
    check, base = PresenceCheck(BISHOP, VIEW, START), Transform.planar(5.0, 0.0, 0.0)
    for number in range(9):
        message.header.stamp.sec = number
        seen = detections_from_ros(message, Transform(), base, START + 1.0 + number)
        assert check.add(seen) is None
    assert 'was seen, but not where' in check.end().sentence


def test_without_a_detector_nothing_can_be_said() -> None:
    assert 'no look of the detector came' in PresenceCheck(BISHOP, VIEW, START).end().sentence
