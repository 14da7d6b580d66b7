"""Tools over a service, an action and a topic that are not ours: an entry in robot.yaml is enough.

The entries are those of docs/skills.md, the servers real rclpy ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import re
from typing import Any

import pytest
from rclpy.action import ActionServer
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from std_msgs.msg import UInt8
from std_srvs.srv import SetBool
from tf2_msgs.action import LookupTransform

from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.call_table import CallTable
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.tree.subtrees_on_demand import fully_planted
from rover_common.config.load import load_config
from rover_common.config.settings import Config, Endpoint

pytestmark = pytest.mark.ros
PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'skills.md'


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """The shipped configuration with the two entries of the documentation."""
    folder = tmp_path / 'config'
    folder.mkdir()
    entries = re.findall(r'```yaml\n(.*?)```', PAGE.read_text(encoding='utf-8'), flags=re.S)
    tools = [entry.partition('tools:\n')[2] for entry in entries if 'tools:\n' in entry]
    assert len(tools) == 2
    dims = re.findall(r'^`(dim: .*)`$', PAGE.read_text(encoding='utf-8'), flags=re.M)
    assert len(dims) == 1
    text = 'extends: curiosity\ntools:\n' + ''.join(tools) + f'  {dims[0]}\n'
    (folder / 'robot.yaml').write_text(text, encoding='utf-8')
    return load_config(folder)


@pytest.fixture
def it(core: Callable[[Config], Any], config: Config) -> Any:
    return core(config)


def test_a_service_that_is_not_ours(it: Any, ros_node: Node) -> None:
    got: list[bool] = []

    def switch(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        got.append(request.data)
        response.success, response.message = request.data, 'the lamp is stuck'
        return response

    ros_node.create_service(SetBool, 'lamp/switch', switch)
    it.ask('lamp')
    assert it.result().ok
    it.until(lambda: it.endings)
    it.ask('lamp', lit=False)
    result = it.result()
    assert (result.ok, result.error_reason) == (False, 'the lamp is stuck')
    assert got == [True, False]


def test_a_message_on_a_topic_that_is_not_ours(it: Any, ros_node: Node) -> None:
    got: list[int] = []
    ros_node.create_subscription(UInt8, 'lamp/brightness', lambda each: got.append(each.data), 10)
    it.ask('dim', level=200)
    result = it.result()
    assert (result.ok, result.data['published_on']) == (True, '/lamp/brightness')
    it.until(lambda: got)
    assert got == [200]
    it.until(lambda: it.endings)
    assert it.endings[0]['outcome'] == 'claimed'


def test_an_action_that_is_not_ours(it: Any, ros_node: Node) -> None:
    got: list[LookupTransform.Goal] = []

    def look_up(handle: ServerGoalHandle) -> LookupTransform.Result:
        got.append(handle.request)
        result = LookupTransform.Result()
        if handle.request.source_frame == 'nowhere':
            result.error.error = 1
            result.error.error_string = 'frame nowhere does not exist'
            handle.abort()
        else:
            result.transform.transform.translation.x = 2.5
            handle.succeed()
        return result

    server = ActionServer(ros_node, LookupTransform, 'tf2_buffer_server', look_up)
    it.ask('look_up_transform', target='odom', source='base_footprint', patience_s=2.5)
    result = it.result()
    assert result.ok
    assert result.data['transform']['transform']['translation']['x'] == 2.5
    assert (got[0].target_frame, got[0].timeout.sec) == ('odom', 2)
    it.until(lambda: it.endings)
    it.ask('look_up_transform', target='odom', source='nowhere')
    assert it.result().error_reason == 'frame nowhere does not exist'
    assert it.context.state.skills.last_result.error_code == 'NO_SUCH_FRAME'
    server.destroy()


def test_the_planner_is_offered_both(it: Any) -> None:
    offers = {offer.name: offer for offer in it.context.registry.toolset()}
    assert offers['lamp'].args_schema['properties']['lit']['type'] == 'boolean'
    assert set(offers['look_up_transform'].args_schema['required']) == {'target', 'source'}
    with fully_planted(it.executive.root) as root:
        assert {'lamp', 'look_up_transform'} <= {node.name for node in root.iterate()}


def test_a_request_that_cannot_be_filled_fails_and_is_not_sent(it: Any) -> None:
    inbox: Inbox = it.inbox
    inbox.drain()
    it.robot.send('call.1', it.context.registry['lamp'].endpoint, {'colour': 'red'})
    (answer,) = inbox.drain()
    assert isinstance(answer, ServerCallUpdate)
    assert answer.happened is CallInput.FAIL
    assert answer.reason == "SetBool_Request has no field 'colour'; it has: data"


def test_a_goal_of_an_earlier_life_whose_action_is_configured_no_more_is_lost(it: Any) -> None:
    gone = Endpoint(name='/arm/reach', type='tf2_msgs/action/LookupTransform', kind='action')
    book = CallTable()
    session = book.open('call', gone.name, it.now, 30.0, gone, cancellable=True, run_id='earlier')
    it.calls.restore(session)
    it.calls.apply(session.server_call_id, CallInput.SEND)
    it.context.to_adopt = (session.server_call_id,)
    it.pass_time(it.context.config.executive.guards.server_wait_s + 0.5)
    assert it.said('The server of /arm/reach has gone')
    assert it.calls.ends() == [CallState.LOST]
    assert not it.said('KeyError')


def test_cancelling_what_is_unknown_is_harmless(it: Any) -> None:
    it.inbox.drain()
    it.robot.cancel('never heard of')
    it.tick()
    assert not it.calls.history
