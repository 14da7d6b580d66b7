"""The node over real DDS: what may happen to messages between two processes, and to the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import time
from typing import Any

from bt_executive_interfaces.msg import MemoryDigest
from bt_executive_interfaces.srv import JudgePlace, LookForPlace, Recall, Remember
from diagnostic_msgs.msg import DiagnosticArray
from network import Network
from network import network as network
import pytest
from rclpy.node import Node
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

from embodied_nav import filter_of_repeated_detections, memory_node, spatial_memory
from embodied_nav.memory_node import MemoryNode
from rover_common.geometry.transforms import Transform
from rover_common.ros.qos import LATCHED
from rover_common.ros.tf_listener import TF_QOS, pose_to_ros

pytestmark = pytest.mark.ros

BISHOP = ('rock/Bishop: layered rock with pale bands', 6.0, 0.5)


class Rover(Node):
    """Stands at x 2, y 1 and heads along y; says what its detector sees."""

    def __init__(self, network: Network) -> None:
        super().__init__('rover')
        self._network = network
        self._tf = self.create_publisher(TFMessage, 'tf', TF_QOS)
        self._detections = self.create_publisher(Detection3DArray, 'detections', 10)
        self.sees: list[tuple[str, float, float]] = []
        self.places = True  # the pose goes out with each look
        self.delay_s = 0.0  # of the detections
        self.delayed: list[tuple[float, Detection3DArray]] = []
        self.create_timer(0.1, self.look)

    def look(self, times: int = 1) -> None:
        """One look, which may be told several times."""
        stamp = self.get_clock().now()
        if self.places:
            pose = Transform.planar(2.0, 1.0, 1.5707963, stamp.nanoseconds * 1e-9)
            self._tf.publish(TFMessage(transforms=[pose_to_ros('odom', 'base_footprint', pose)]))
        message = Detection3DArray()
        message.header.stamp, message.header.frame_id = stamp.to_msg(), 'base_footprint'
        message.detections = [_detection(*each) for each in self.sees]
        now = time.monotonic()
        self.delayed += [(now + self.delay_s, message)] * times
        for _, due in [each for each in self.delayed if each[0] <= now]:
            self._detections.publish(due)
        self.delayed = [each for each in self.delayed if each[0] > now]

    def ask(self, kind: Any, name: str, /, **fields: Any) -> Any:
        client = self.create_client(kind, f'/memory/{name}')
        self._network.wait_until(client.service_is_ready)
        future = client.call_async(kind.Request(**fields))
        self._network.wait_until(future.done)
        return future.result()

    def recall(self, text: str = 'layered rock') -> Any:
        return self.ask(Recall, 'recall', text=text)

    def recall_until(self, good: Callable[[Any], bool], text: str = 'layered rock') -> Any:
        """Asks again and again: what was seen is entered in its own time."""
        answers: list[Any] = []

        def asked() -> bool:
            answers.append(self.recall(text))
            return good(answers[-1])

        self._network.wait_until(asked)
        return answers[-1]


def _detection(words: str, x: float, y: float) -> Detection3D:
    found = ObjectHypothesisWithPose()
    found.hypothesis.class_id, found.hypothesis.score = words, 0.9
    found.pose.pose.position.x, found.pose.pose.position.y = x, y
    found.pose.covariance[0] = found.pose.covariance[7] = found.pose.covariance[14] = 0.01
    return Detection3D(results=[found])


@pytest.fixture
def rover(network: Network) -> Rover:
    return network.add(Rover(network))


@pytest.fixture
def start(network: Network, tmp_path: Path) -> Callable[..., MemoryNode]:
    def make(*overrides: str) -> MemoryNode:
        store = f'memory.store={tmp_path / "memory.sqlite"}'
        return network.start(MemoryNode, store, 'guards.pose_max_age_s=60.0', *overrides)

    return make


def test_what_was_seen_is_recalled_in_the_world_frame_also_after_a_restart(
    network: Network, rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    node = start()
    rover.sees = [BISHOP]
    found = rover.recall_until(lambda answer: answer.ok)
    place = found.places[0]
    assert (place.name, place.frame_id) == ('Bishop', 'odom')
    assert (place.x, place.y) == (pytest.approx(1.5, abs=0.05), pytest.approx(7.0, abs=0.05))
    assert '6.0 m from the robot' in place.relations
    rover.sees = []
    network.remove(node)
    start()
    again = rover.recall_until(lambda answer: answer.ok)
    assert again.places[0].id == place.id


def test_a_detection_that_is_doubled_is_one_place(
    network: Network, rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start()
    digests: list[MemoryDigest] = []
    rover.create_subscription(MemoryDigest, '/memory/digest', digests.append, LATCHED)
    network.wait_until(lambda: rover.count_subscribers('/detections'))
    rover.sees = [BISHOP]
    for _ in range(5):
        rover.look(times=4)
    network.wait_until(lambda: digests and digests[-1].places)
    assert [each.name for each in digests[-1].places] == ['Bishop']
    assert 'Bishop' in digests[-1].summary


def test_a_detection_whose_pose_is_not_known_is_not_entered(
    network: Network, rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    reports: list[DiagnosticArray] = []
    rover.create_subscription(DiagnosticArray, '/diagnostics', reports.append, 10)
    start()
    rover.sees, rover.places = [BISHOP], False

    def unplaced() -> bool:
        values = [
            value
            for report in reports
            for status in report.status
            for value in status.values
            if status.name == 'memory: detections'
        ]
        return any(each.key == 'without_a_pose' and each.value != '0' for each in values)

    network.wait_until(unplaced)
    answer = rover.recall()
    assert (answer.ok, answer.error_code) == (False, 'MEMORY_ABSENT')


def test_what_is_gone_is_seen_to_be_gone_and_retracted(
    rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start('memory.looks=2', 'memory.look_s=60.0')
    rover.sees = [BISHOP]
    place = rover.recall_until(lambda answer: answer.ok).places[0]
    there = rover.ask(LookForPlace, 'look', id=place.id, timeout_s=30.0)
    assert (there.ok, there.reason) == (True, 'Bishop is there')
    assert rover.ask(JudgePlace, 'confirm', id=place.id, reason='seen').ok
    rover.sees = []
    gone = rover.ask(LookForPlace, 'look', id=place.id, timeout_s=30.0)
    assert (gone.ok, gone.error_code) == (False, 'MEMORY_GONE')
    assert rover.ask(JudgePlace, 'retract', id=place.id, reason=gone.reason).ok
    answer = rover.recall()
    assert answer.error_code == 'MEMORY_ABSENT'
    assert 'gone' in answer.reason
    rover.sees = [BISHOP]  # somebody has brought it back
    assert rover.recall_until(lambda answer: answer.ok).places[0].id == place.id


def test_a_look_from_before_a_retraction_holds_up_no_later_one(
    network: Network,
    rover: Rover,
    start: Callable[..., MemoryNode],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It counted as the first of the repeats, so the thing stayed gone for 10 s in full view."""
    monkeypatch.setattr(filter_of_repeated_detections, 'PERIOD_S', 1e6)
    monkeypatch.setattr(filter_of_repeated_detections, 'RETURN_S', 1e6)
    start()
    rover.sees = [BISHOP]
    place = rover.recall_until(lambda answer: answer.ok).places[0]
    rover.delay_s = 0.5
    network.wait_until(lambda: rover.delayed)
    rover.sees, rover.delay_s = [], 0.0
    assert rover.ask(JudgePlace, 'retract', id=place.id, reason='gone').ok
    network.wait_until(lambda: not rover.delayed)
    assert rover.recall().error_code == 'MEMORY_ABSENT'
    rover.sees = [BISHOP]
    assert rover.recall_until(lambda answer: answer.ok).places[0].id == place.id


def test_what_was_moved_is_looked_for_at_its_place_and_stays_known(
    rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start('memory.looks=2', 'memory.look_s=60.0')
    rover.sees = [BISHOP]
    before = rover.recall_until(lambda answer: answer.ok).places[0]
    rover.sees = [('rock/Bishop', 6.0, -3.5)]
    looked = rover.ask(LookForPlace, 'look', id=before.id, timeout_s=30.0)
    assert (looked.ok, before.x, before.y) == (True, pytest.approx(1.5), pytest.approx(7.0))
    assert (looked.x, looked.y) == (pytest.approx(5.5), pytest.approx(7.0))
    assert rover.ask(JudgePlace, 'confirm', id=before.id, reason=looked.reason).ok
    now = rover.recall_until(lambda answer: answer.places[0].x > 5.0).places[0]
    assert (now.id, now.x, now.y) == (before.id, pytest.approx(5.5), pytest.approx(7.0))


def test_a_look_that_cannot_see_the_place_ends_within_its_time(
    rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start()
    far = rover.ask(Remember, 'remember', name='cairn', elsewhere=True, x=50.0, source='operator')
    rover.sees = [('rock/Bishop', -20.0, 0.0)]
    behind = rover.recall_until(lambda answer: answer.ok, 'Bishop').places[0]
    looked = rover.ask(LookForPlace, 'look', id=behind.id, timeout_s=0.5)
    assert (looked.ok, looked.error_code) == (True, '')  # it is in this look, wherever it is
    rover.sees = []
    looked = rover.ask(LookForPlace, 'look', id=behind.id, timeout_s=0.5)
    assert looked.error_code == 'MEMORY_NOT_IN_VIEW'
    named = rover.ask(LookForPlace, 'look', id=far.id, timeout_s=0.5)
    assert (named.ok, named.error_code) == (False, 'MEMORY_NOT_IN_VIEW')
    assert 'a place that the operator named: farther than 1.0 m' in named.reason
    near = rover.ask(Remember, 'remember', name='camp', source='operator')
    named = rover.ask(LookForPlace, 'look', id=near.id, timeout_s=0.5)
    assert (named.ok, named.x, named.y, named.distance_m) == (True, 2.0, 1.0, 0.0)
    assert rover.recall('camp').places[0].named
    assert not rover.recall('Bishop').places[0].named
    assert rover.ask(LookForPlace, 'look', id='nobody').error_code == 'MEMORY_UNKNOWN_PLACE'


def test_the_same_wish_to_remember_is_one_place(
    rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start()
    rover.sees = []
    wish = {'name': 'base camp', 'elsewhere': True, 'x': 1.0, 'y': 2.0, 'key': 'wish-1'}
    first, again = (rover.ask(Remember, 'remember', **wish) for _ in range(2))
    assert (first.ok, first.merged, again.merged) == (True, False, True)
    assert first.id == again.id
    assert not rover.ask(Remember, 'remember', name=' ').ok
    assert rover.recall('base camp').places[0].id == first.id


def test_a_store_that_cannot_be_used_is_reported_and_ends_nothing(
    rover: Rover, start: Callable[..., MemoryNode], tmp_path: Path
) -> None:
    (tmp_path / 'memory.sqlite').write_text('something else', encoding='utf-8')
    start()
    answer = rover.recall()
    assert (answer.ok, answer.error_code) == (False, 'MEMORY_FAILED')
    assert 'memory.sqlite' in answer.reason
    assert not rover.ask(Remember, 'remember', name='camp', elsewhere=True).ok


def test_the_log_names_a_database_without_its_password(
    rover: Rover,
    start: Callable[..., MemoryNode],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    opened = spatial_memory.open_memory(':memory:')
    monkeypatch.setattr(memory_node, 'open_memory', lambda *_args, **_named: opened)
    start('memory.store=postgresql://joe:secret@host/map')
    assert rover.recall().error_code == 'MEMORY_ABSENT'
    log = capfd.readouterr().err
    assert 'Remembers in postgresql://***@host/map' in log
    assert 'secret' not in log


def test_a_forest_that_is_not_written_in_time_is_in_the_log_with_what_writes_it(
    network: Network,
    rover: Rover,
    start: Callable[..., MemoryNode],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(memory_node, 'EXPORT_LIMIT_S', 0.0)
    node = start()
    assert rover.recall().error_code == 'MEMORY_ABSENT'
    network.remove(node)
    log = capfd.readouterr().err
    assert "The forest was not written: '" in log
    assert "enhanced_graph.gml' takes longer than 0 s; `bt-executive memory export" in log


def test_what_cannot_be_a_place_is_refused_and_ends_nothing(
    rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start()
    refused = rover.ask(Remember, 'remember', name='far', elsewhere=True, x=1e300)
    assert not refused.ok
    rover.sees = [('rock/Far', 1e30, 0.0), ('', 1.0, 0.0), ('rock/Bad', float('nan'), 0.0), BISHOP]
    assert rover.recall_until(lambda answer: answer.ok).places[0].name == 'Bishop'


def test_what_is_nearest_is_not_known_without_a_pose(
    rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    rover.places = False
    start()
    assert rover.ask(Remember, 'remember', name='camp', elsewhere=True, x=90.0).ok
    answer = rover.recall('the nearest camp')
    assert (answer.ok, answer.error_code, answer.places) == (False, 'MEMORY_FAILED', [])
    assert 'there is no transform' in answer.reason
    rover.places = True
    rover.recall_until(lambda answer: answer.ok, 'the nearest camp')


def test_a_place_is_not_remembered_by_a_pose_that_is_old(
    network: Network, rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    start('guards.pose_max_age_s=0.2')
    network.wait_until(lambda: rover.ask(Remember, 'remember', name='camp').ok)
    rover.places = False
    answers: list[Any] = []

    def ask() -> bool:
        answers.append(rover.ask(Remember, 'remember', name='camp'))
        return not answers[-1].ok

    network.wait_until(ask)
    assert 'no transform that is new enough' in answers[-1].reason


def test_a_dead_model_is_one_sentence_in_the_diagnostics(
    network: Network, rover: Rover, start: Callable[..., MemoryNode]
) -> None:
    told: set[str] = set()

    def take(report: DiagnosticArray) -> None:
        for each in report.status:
            figures = {value.key: value.value for value in each.values}
            told.add(f'{each.name}: {each.message} {figures}')

    rover.create_subscription(DiagnosticArray, '/diagnostics', take, 10)
    dead = {'provider': 'openai', 'model': 'away', 'base_url': 'http://127.0.0.1:9/v1'}
    start(*(f'memory.embedding.{key}={value}' for key, value in dead.items()))
    rover.sees = [BISHOP]
    assert rover.recall_until(lambda answer: answer.ok).places[0].name == 'Bishop'
    network.wait_until(
        # between two reports it may have failed often enough to be left alone
        lambda: any(
            each.startswith(f'memory: models: openai {how}')
            for each in told
            for how in ('cannot be reached', 'failed 5 times in a row and is left alone')
        ),
        what=lambda: f'the model is told as dead: {told}',
    )
