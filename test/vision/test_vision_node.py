"""The node: looks that a tree calls, chats that go through the tree, and the watch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
import json
from pathlib import Path
import socket
from typing import Any

from action_msgs.msg import GoalStatus
from action_servers import ask_for_result, send_goal
from bt_executive_interfaces.action import ExecuteGoal, Look
from bt_executive_interfaces.msg import ExecutiveState
from bt_executive_interfaces.srv import SetWatch
import httpx
from public_client import png
import pytest
import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage, Image
from spinning import spinning
from std_msgs.msg import String
from waiting import LIMIT_S, wait_until

from rover_common.config.load import load_config
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions
from rover_vision.client.vision_client import find_port
from rover_vision.episodes.episode_store import EpisodeReader
from rover_vision.ros import look_actions, vision_topics
from rover_vision.vision_node import VisionNode

pytestmark = pytest.mark.ros
REFUSAL = 'Mast is closed'
PLACE = {'id': 'n17', 'name': 'Bishop', 'x': 1.0, 'y': 6.0, 'state': 'SEEN'}
POSE = {'x': 1.0, 'y': 2.0, 'yaw': 1.57}
STATE = ExecutiveState(
    mode='IDLE',
    **POSE,
    stands=ExecutiveState.YES,
    state_json=json.dumps({'robot': {'pose_stamp': 77.2}, 'world': {'places': [PLACE]}}),
)


class Stage:
    """The node, with a camera and a tree that does what it is asked, or refuses it."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        overrides = [
            f'vision.port={port}',
            f'vision.folder={folder}',
            'vision.capture_timeout_s=60.0',
        ]
        self.vision = VisionNode(NodeOptions(load_config(overrides=overrides), None))
        self.folder = folder
        self.node = Node('stage')
        self.refuses = False
        self.goals: list[ExecuteGoal.Goal] = []
        self.said: list[dict[str, Any]] = []
        group = ReentrantCallbackGroup()
        self.looks = ActionClient(self.node, Look, 'vision/look', callback_group=group)
        self.watch = self.node.create_client(SetWatch, 'vision/watch', callback_group=group)
        self._tree = ActionServer(
            self.node, ExecuteGoal, 'executive/execute_goal', self._execute, callback_group=group
        )
        self._camera = self.node.create_publisher(
            CompressedImage, 'capture/image_raw/compressed', 1
        )
        self._state = self.node.create_publisher(ExecutiveState, 'executive/state', LATCHED)
        self.node.create_subscription(
            String, 'trace/events', lambda told: self.said.append(json.loads(told.data)), 10
        )
        self.node.create_timer(0.05, self._shoot)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.vision)
        self.executor.add_node(self.node)

    def _shoot(self) -> None:
        picture = CompressedImage(format='png', data=list(png()))
        picture.header.stamp.sec = 77
        self._camera.publish(picture)
        self._state.publish(STATE)

    async def _execute(self, handle: Any) -> ExecuteGoal.Result:
        """As the executive does it: calls the tool, if its guards allow it."""
        goal = handle.request
        self.goals.append(goal)
        if self.refuses:
            handle.abort()
            return ExecuteGoal.Result(outcome='failed', answer=REFUSAL)
        question = json.loads(goal.arguments).get('question', '')
        sent = await self.looks.send_goal_async(Look.Goal(question=question))
        found = await sent.get_result_async()
        handle.succeed()
        return ExecuteGoal.Result(outcome='reached', answer=found.result.answer)

    def chat(self, words: str) -> str:
        url = f'http://127.0.0.1:{self.vision._process.server.port}/api/chat'
        token = (self.folder / 'token').read_text()
        response = httpx.post(
            url,
            json={'client_id': 'me', 'input_text': words},
            headers={'authorization': f'Bearer {token}'},
            timeout=120,
        )
        last = response.text.strip().rpartition('\n')[2]
        return str(json.loads(last.removeprefix('data: '))['reply_text'])

    def look(self, question: str = '') -> Any:
        handle = send_goal(self.looks, self.node, Look.Goal(question=question))
        found = ask_for_result(handle, self.node)
        wait_until(found.done, 'it has looked')
        return found.result()

    def switch_watch(self, **fields: Any) -> SetWatch.Response:
        answered = self.watch.call_async(SetWatch.Request(**fields))
        wait_until(answered.done, 'the watch answers')
        return answered.result()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as made:
        yield made


@contextmanager
def staged(folder: Path, port: int = 0) -> Iterator[Stage]:
    rclpy.init()
    made = Stage(folder, port)
    patience = pytest.MonkeyPatch()  # a busy machine takes its time to find and to hear
    patience.setattr(vision_topics, 'WAIT_S', LIMIT_S)
    patience.setattr(look_actions, 'SERVER_TIMEOUT_S', LIMIT_S)
    try:
        with spinning(made.executor):
            wait_until(made.looks.server_is_ready)
            wait_until(made.vision._goal_client.server_is_ready, 'vision has found the tree')
            yield made
            made.vision.shut_down(made.executor)
    finally:
        patience.undo()
        made.executor.shutdown()
        rclpy.try_shutdown()


def test_a_call_of_the_tree_looks_with_the_camera(stage: Stage) -> None:
    found = stage.look('Rocks?')
    assert found.status == GoalStatus.STATUS_SUCCEEDED
    assert (found.result.error_code, found.result.episode, found.result.stamp) == ('', 1, 77.0)
    assert 'measured' in found.result.answer
    assert json.loads(found.result.measured)['colour'] == 'grey'


def test_a_chat_looks_through_the_tree_and_tells_what_it_refuses(stage: Stage) -> None:
    assert 'measured' in stage.chat('What is in front of you? Look.')
    (goal,) = stage.goals
    assert (goal.sender, goal.tool, goal.priority) == ('agent', 'look', 0)
    stage.refuses = True
    assert REFUSAL in stage.chat('Look again.')


def test_the_watch_looks_by_goals_that_yield_to_all_others(stage: Stage) -> None:
    wait_until(stage.watch.service_is_ready)
    answer = stage.switch_watch(every_s=1)
    assert (answer.success, 'every 1 s' in answer.message) == (True, True)
    wait_until(lambda: len(stage.said) >= 2)
    assert {(goal.sender, goal.priority) for goal in stage.goals} == {('agent', -10)}
    assert {each['tool_name'] for each in stage.said} == {'watch'}
    off = stage.switch_watch(on=False)
    assert off.message == 'The watch is off.'
    bad = stage.switch_watch(tell_when='bright')
    assert not bad.success


def test_a_look_is_kept_with_its_place_and_what_the_memory_has_there(stage: Stage) -> None:
    found = stage.look()
    with closing(EpisodeReader(stage.folder)) as reader:
        (episode,) = reader.search('Bishop', 5)
    assert episode.number == found.result.episode
    assert episode.place['x'] == 1.0
    assert episode.place['remembered'][0]['place_id'] == 'n17'
    assert 'Remembered in this direction, not seen now: Bishop (4.0 m).' in found.result.answer


def test_what_was_looked_at_last_is_told_to_who_comes_later(stage: Stage) -> None:
    found = stage.look()
    shown: list[Any] = []
    stage.node.create_subscription(Image, 'vision/picture', shown.append, LATCHED)
    stage.node.create_subscription(String, 'vision/words', shown.append, LATCHED)
    wait_until(lambda: len(shown) >= 2)
    (picture,) = [each for each in shown if isinstance(each, Image)]
    (words,) = [each for each in shown if isinstance(each, String)]
    assert (picture.width, picture.height, picture.header.stamp.sec) == (32, 24, 77)
    assert bytes(picture.data) == bytes([90]) * (32 * 24 * 3)
    assert words.data == found.result.answer


def test_a_port_in_use_gives_way_to_the_next_one_which_clients_find(tmp_path: Path) -> None:
    with socket.create_server(('127.0.0.1', 0)) as taken:
        wanted = taken.getsockname()[1]
        with staged(tmp_path, wanted) as stage:
            port = stage.vision._process.server.port
            assert find_port(tmp_path, 1) == port != wanted
            assert stage.chat('tell me of the watch')  # served there
            told = f'Port {wanted} is in use: vision serves its clients on port {port}.'
            assert stage.vision._gateway_health().reason.startswith(told)
            wait_until(lambda: [said for said in stage.said if told in said['message']])
    assert find_port(tmp_path, 1) == 1
