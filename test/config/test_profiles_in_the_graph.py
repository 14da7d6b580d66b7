"""What the policies of the robots with gates allow is what executive and gates show in the graph.

A table over the profiles of config/robots; one whose messages are in no package of PyPI is skipped
where they are not compiled. Curiosity's own nodes, and what front ends do, are in
test_in_the_graph.py.
"""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import time

from access import Access, access_in_file, access_in_graph, difference, policy_text
from bt_executive_interfaces.action import ExecuteGoal
from domains import next_domain
from papers import ROOT
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from spinning import spinning
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from gates.gates_node import GatesNode
from rover_common.config.load import load_config
from rover_common.config.settings import ActionGateSettings, Endpoint, Robot
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.node_topic_and_enclave_names import enclave_of
from rover_common.ros.run_node import NodeOptions
from rover_common.ros.topic_of_one_publisher import SEARCH_PERIOD_S

pytestmark = pytest.mark.ros
ROBOTS = ROOT / 'config' / 'robots'
POLICIES = 'sros2'
COMPILED = {'moveit_arm': 'moveit_msgs', 'pyrobosim': 'pyrobosim_msgs'}  # by `interfaces add`
NO_ROBOT = {'any_robot'}
UPDATE = bool(os.environ.get('UPDATE_DOCS'))
PUBLISH = ('topics', 'publish')
# Of a viewer of the tree, who is not here.
STREAMS = frozenset({'~/blackboard_streams/*', '~/snapshot_streams/*', '~/snapshots'})
NAMES = ('executive', 'gates')
LIMIT_S = 60.0


@pytest.fixture(params=('nav2', 'turtlebot', *COMPILED), scope='module')
def robot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Node, frozenset[str]]]:
    """The name of a profile, a node beside its executive and its gates, and its absolute names.

    The node publishes what the state is known by, for the executive subscribes then.
    A goal waits for the first time on /clock: pictures are read while there is one.
    """
    if package := COMPILED.get(request.param):
        pytest.importorskip(f'{package}.action', reason=f'{package} is not compiled: not on PyPI')
    folder = tmp_path_factory.mktemp('run')
    settings = ('use_sim_time=true', f'journal.file="{folder}/journal"')
    config = load_config(ROBOTS / request.param, settings)
    rclpy.init(domain_id=next_domain())
    executive = ExecutiveNode(NodeOptions(config, folder / 'run'))
    observer = Node('observer')
    published = {each.topic: str(each.type) for each in config.robot.from_topics.values()}
    for topic, kind in published.items():
        observer.create_publisher(interface_class(kind), topic, 1)
    nodes = (executive, GatesNode(NodeOptions(config, None)), observer)
    executor = LowLatencyExecutor()
    for node in nodes:
        executor.add_node(node)
    with spinning(executor):
        goals = ActionClient(observer, ExecuteGoal, 'executive/execute_goal')
        assert goals.wait_for_server(LIMIT_S)
        goals.send_goal_async(ExecuteGoal.Goal(goal='look around'))
        yield request.param, observer, frozenset(_absolute_names(config.robot))
    executive.shut_down(executor)
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


@pytest.mark.parametrize('name', NAMES)
def test_a_node_may_do_what_it_does(robot: tuple[str, Node, frozenset[str]], name: str) -> None:
    profile, observer, absolute = robot
    file = ROBOTS / profile / POLICIES / f'{name}.policy.xml'
    if UPDATE:
        found: list[Access] = []
        for _ in range(2):  # the second after the first look for publishers
            time.sleep(2.0 * SEARCH_PERIOD_S)
            found.append(_of(observer, name, absolute))
        assert found[0] == found[1], 'nothing more comes'
        file.parent.mkdir(exist_ok=True)
        file.write_text(policy_text(enclave_of(name), name, found[1]), 'utf-8')
    enclave, node, allowed = access_in_file(file)
    assert (enclave, node) == (enclave_of(name), name)
    wait_until(
        lambda: not difference(allowed, _of(observer, name, absolute)),
        lambda: difference(allowed, _of(observer, name, absolute)),
    )


def _of(observer: Node, name: str, absolute: frozenset[str]) -> Access:
    try:
        found = access_in_graph(observer, name)
    except Exception:  # rclpy: the node is not in the graph yet
        return {}
    found = {
        verb: frozenset(f'/{each}' if f'/{each}' in absolute else each for each in names)
        for verb, names in found.items()
    }
    if name == 'executive':
        found[PUBLISH] = found.get(PUBLISH, frozenset()) | STREAMS
    return found


def _absolute_names(robot: Robot) -> Iterator[str]:
    """The names of the robot's file that are the same under every namespace."""
    names = [each.topic for each in robot.from_topics.values()]
    for gate in robot.gates.values():
        if isinstance(gate, ActionGateSettings):
            names.append(gate.action)
        else:
            names += [gate.velocity.wanted, gate.velocity.passed, gate.odom_topic]
    called = (each.endpoint for each in robot.tools.values())
    names += [each.ros_name for each in called if isinstance(each, Endpoint)]
    yield from (each for each in names if each.startswith('/'))


def test_each_profile_has_policies_or_is_named_as_one_without() -> None:
    with_policies = {path.parent.name for path in ROBOTS.glob(f'*/{POLICIES}')}
    assert with_policies == {path.name for path in ROBOTS.iterdir()} - NO_ROBOT
    for folder in with_policies:
        files = {path.name for path in Path(ROBOTS, folder, POLICIES).iterdir()}
        assert files == {f'{name}.policy.xml' for name in NAMES}
