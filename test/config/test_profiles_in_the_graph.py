"""What the policies of the robots with gates allow is what executive and gates show in the graph.

A table over those profiles of config/robots whose messages are on PyPI. Curiosity's own nodes, and
what front ends do, are in test_in_the_graph.py.
"""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path

from access import Access, access_in_file, access_in_graph, difference, policy_text
from bt_executive_interfaces.action import ExecuteGoal
from domains import next_domain
from papers import ROOT
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from spinning import spinning
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from gates.gates_node import GatesNode
from rover_common.config.load import load_config
from rover_common.ros.enclave import enclave_of
from rover_common.ros.run_node import NodeOptions

pytestmark = pytest.mark.ros
ROBOTS = ROOT / 'config' / 'robots'
POLICIES = 'sros2'
# Their messages (moveit_msgs, pyrobosim_msgs) are in no package of PyPI; the last is no robot.
NOT_HERE = {'moveit_arm', 'pyrobosim', 'any_robot'}
UPDATE = bool(os.environ.get('UPDATE_DOCS'))
PUBLISH = ('topics', 'publish')
# Of a viewer of the tree, who is not here.
STREAMS = frozenset({'~/blackboard_streams/*', '~/snapshot_streams/*', '~/snapshots'})
NAMES = ('executive', 'gates')
LIMIT_S = 60.0


@pytest.fixture(params=('nav2', 'turtlebot'), scope='module')
def robot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Node]]:
    """The name of a profile, and a node beside its executive and its gates.

    A goal waits for the first time on /clock: pictures are read while there is one.
    """
    folder = tmp_path_factory.mktemp('run')
    settings = ('use_sim_time=true', f'journal.file="{folder}/journal"')
    config = load_config(ROBOTS / request.param, settings)
    rclpy.init(domain_id=next_domain())
    executive = ExecutiveNode(NodeOptions(config, folder / 'run'))
    observer = Node('observer')
    nodes = (executive, GatesNode(NodeOptions(config, None)), observer)
    executor = SingleThreadedExecutor()
    for node in nodes:
        executor.add_node(node)
    with spinning(executor):
        goals = ActionClient(observer, ExecuteGoal, 'executive/execute_goal')
        assert goals.wait_for_server(LIMIT_S)
        goals.send_goal_async(ExecuteGoal.Goal(goal='look around'))
        yield request.param, observer
    executive.shut_down(executor)
    executor.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


@pytest.mark.parametrize('name', NAMES)
def test_a_node_may_do_what_it_does(robot: tuple[str, Node], name: str) -> None:
    profile, observer = robot
    file = ROBOTS / profile / POLICIES / f'{name}.policy.xml'
    if UPDATE:
        wait_until(lambda: _of(observer, name), f'{name} is in the graph')
        file.parent.mkdir(exist_ok=True)
        file.write_text(policy_text(enclave_of(name), name, _of(observer, name)), 'utf-8')
    enclave, node, allowed = access_in_file(file)
    assert (enclave, node) == (enclave_of(name), name)
    wait_until(
        lambda: not difference(allowed, _of(observer, name)),
        lambda: difference(allowed, _of(observer, name)),
    )


def _of(observer: Node, name: str) -> Access:
    try:
        found = access_in_graph(observer, name)
    except Exception:  # rclpy: the node is not in the graph yet
        return {}
    if name == 'executive':
        found[PUBLISH] = found.get(PUBLISH, frozenset()) | STREAMS
    return found


def test_each_profile_has_policies_or_is_named_as_one_without() -> None:
    with_policies = {path.parent.name for path in ROBOTS.glob(f'*/{POLICIES}')}
    assert with_policies == {path.name for path in ROBOTS.iterdir()} - NOT_HERE
    for folder in with_policies:
        files = {path.name for path in Path(ROBOTS, folder, POLICIES).iterdir()}
        assert files == {f'{name}.policy.xml' for name in NAMES}
