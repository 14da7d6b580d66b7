"""What config/ says of our nodes is what they show in the graph: permissions, and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
import threading
import time
from typing import Any

from access import Access, access_in_file, access_in_graph, difference, policy_text
from domains import next_domain
from known import known
from py_trees_ros_interfaces.srv import OpenBlackboardStream
import pytest
from rcl_interfaces.srv import DescribeParameters, ListParameters
from rclpy.node import Node
from spinning import spun_node
from std_msgs.msg import String
from waiting import wait_until
from warm import warm_parent

from bt_executive.client.front_end_rights import AGENT, PAGE
from bt_executive.launching.supervisor import Supervisor
from bt_executive.launching.system_processes import NODES
from bt_executive.ros.client.executive_client import ExecutiveClient
from bt_executive.ros.client.stop_line import StopLine
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.process.new_run_folder import make_run_folder
from rover_common.ros.node_topic_and_enclave_names import CONSOLE, FOLDER, GATES, STOP_LINE

pytestmark = [pytest.mark.ros, pytest.mark.system, pytest.mark.timeout(400)]
POLICIES = default_folder() / 'sros2'
UPDATE = bool(os.environ.get('UPDATE_DOCS'))
LIMIT_S = 120.0
HINT = 'Is it meant? Then UPDATE_DOCS=1 pytest test/config writes the policies; read what changed.'
OF_CURIOSITY = tuple(node for node in NODES if node.name != GATES)
ENCLAVES = {node.name: f'{FOLDER}/{node.name}' for node in OF_CURIOSITY} | {
    'bt_executive_console': CONSOLE,
    PAGE.node: PAGE.enclave,
    AGENT.node: AGENT.enclave,
    'bt_executive_stop_line': STOP_LINE,
}
# Everything that a node may do is switched on.
ALL = (
    *('--set', 'use_sim_time=true', '--set', 'vision.port=0'),
    *('--set', 'vision.watch.enabled=true', '--set', 'vision.watch.interval_s=1'),
    *('--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120'),
    *('--set', 'rover.speed_factor=0.5'),  # half the work; only names are looked at
    *('--ros-args', '-p', 'default_snapshot_stream:=true'),
)


@pytest.fixture(scope='module')
def observer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node beside the whole system, with a viewer of each kind attached to it."""
    domain, folder = next_domain(), tmp_path_factory.mktemp('run')
    environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
    arguments = ['--run-dir', str(folder), *ALL]
    logs = make_run_folder(folder) / 'logs'
    supervisor = Supervisor(OF_CURIOSITY, arguments, logs, environment, warm_parent())
    supervisor.start()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv('ROS_DOMAIN_ID', str(domain))
        console = ExecutiveClient(load_config(), lambda _happening: None)
        page = ExecutiveClient(load_config(), lambda _happening: None, (), PAGE)
        agent = ExecutiveClient(load_config(), lambda _happening: None, (), AGENT)
        line = StopLine(load_config())
    ended = threading.Event()
    try:
        console.watch()
        page.subscribe_page_topics()
        agent.call_service('state_json')
        agent.subscribe_pictures()
        threading.Thread(target=_look_at_the_camera, args=(page, ended), daemon=True).start()
        with spun_node('observer', domain) as node:
            _open_blackboard(node)
            yield node
    finally:
        ended.set()
        for each in (console, page, agent, line):
            each.close()
        supervisor.end()


def _look_at_the_camera(page: ExecutiveClient, ended: threading.Event) -> None:
    """As a browser does, for as long as its page is open."""
    while not ended.wait(0.5):
        page.request_camera()


def _open_blackboard(node: Node) -> None:
    opened = _call(node, OpenBlackboardStream, '/executive/blackboard_streams/open')
    node.create_subscription(String, opened.topic, lambda _message: None, 1)


def _call(node: Node, type_: Any, service: str, request: Any = None) -> Any:
    client = node.create_client(type_, service)
    assert client.wait_for_service(LIMIT_S), service
    answer = client.call_async(request or type_.Request())
    _wait(lambda: '' if answer.done() else f'{service} does not answer')
    return answer.result()


def _wait(missing: Callable[[], str]) -> None:
    """Waits until `missing()` says nothing."""
    wait_until(lambda: not missing(), lambda: f'{missing()}\n{HINT}', LIMIT_S, look_s=0.1)


@pytest.mark.parametrize('name', ENCLAVES)
def test_a_node_may_do_what_it_does(observer: Node, name: str) -> None:
    file = POLICIES / f'{ENCLAVES[name].rpartition("/")[2]}.policy.xml'
    if UPDATE:
        file.write_text(policy_text(ENCLAVES[name], name, _settled(observer, name)), 'utf-8')
    enclave, node, allowed = access_in_file(file)
    assert (enclave, node) == (ENCLAVES[name], name)
    _wait(lambda: _difference(observer, name, allowed))


@pytest.mark.parametrize('name', [node.name for node in OF_CURIOSITY])
def test_every_parameter_has_a_text(observer: Node, name: str) -> None:
    names = _call(observer, ListParameters, f'/{name}/list_parameters').result.names
    request = DescribeParameters.Request(names=names)
    found = _call(observer, DescribeParameters, f'/{name}/describe_parameters', request)
    assert len(found.descriptors) == len(names) > 0
    assert [each.name for each in found.descriptors if not each.description.strip()] == []


def test_every_process_lives_in_the_enclave_of_its_policy(observer: Node) -> None:
    def missing() -> str:
        graph = observer.get_node_names_and_namespaces_with_enclaves()
        found = {name: enclave for name, _space, enclave in graph}
        elsewhere = [name for name in ENCLAVES if found.get(name) != ENCLAVES[name]]
        return ', '.join(f'{name} is in {found.get(name)}' for name in elsewhere)

    _wait(missing)


def test_there_is_a_policy_for_each_of_our_nodes_and_for_no_other() -> None:
    wanted = {f'{enclave.rpartition("/")[2]}.policy.xml' for enclave in ENCLAVES.values()}
    assert {path.name for path in POLICIES.iterdir()} == wanted


def _difference(observer: Node, name: str, allowed: Access) -> str:
    try:
        return difference(allowed, access_in_graph(observer, name))
    except Exception as error:  # rclpy: the node is not in the graph yet
        return f'{name}: {error}'


def _settled(observer: Node, name: str) -> Access:
    """What a node does once that has not changed for a while."""
    since, before = time.monotonic(), None

    def settled() -> bool:
        nonlocal since, before
        try:
            now = access_in_graph(observer, name)
        except Exception:  # rclpy: the node is not in the graph yet
            now = None
        if now != before or now is None:
            since, before = time.monotonic(), now
        return time.monotonic() - since >= 10.0

    wait_until(settled, look_s=0.2)
    return known(before)
