"""The launch files, where launch is there: on a distribution, or brought beside the project."""

from __future__ import annotations

import importlib.util
from pathlib import Path
import sys
from types import SimpleNamespace
from typing import Any

from domains import next_domain
from known import known
import pytest

pytest.importorskip('launch_ros', reason='launch comes with a ROS distribution')

from launch import LaunchContext
from launch.actions import LogInfo, TimerAction
from launch.utilities import perform_substitutions
from launch_ros.actions import Node

from bt_executive.launching.launch_description import RespawningNode
from bt_executive.launching.supervisor import MOST_DEATHS
from bt_executive.launching.system_processes import NODES, ROVER_NODES
from rover_common.errors import BtExecutiveError
from rover_common.process.node_name_lock import lock_name
from rover_common.ros.node_topic_and_enclave_names import GATES, RECORDER

pytestmark = pytest.mark.ros  # a start looks whether another rover is there
ROOT = Path(__file__).resolve().parents[3]
ALL = {node.name for node in NODES} - {GATES}  # Curiosity has an adapter


def actions(file: str, tmp_path: Path, **given: str) -> list[Any]:
    """What a launch file starts with these arguments."""
    spec = importlib.util.spec_from_file_location('a_launch_file', ROOT / 'launch' / file)
    module = importlib.util.module_from_spec(known(spec))
    known(known(spec).loader).exec_module(module)
    context = LaunchContext()
    context.launch_configurations.update({'run_dir': str(tmp_path / 'run'), **given})
    *arguments, start = module.generate_launch_description().entities
    for argument in arguments:
        argument.visit(context)
    return list(start.visit(context) or ())


def processes(found: list[Any]) -> dict[str, list[str]]:
    """The label of each process in launch's output → its command, as far as it is ours."""
    context = LaunchContext()
    return {
        perform_substitutions(context, action.name): [
            perform_substitutions(context, word) for word in action.cmd[:3]
        ]
        for action in found
        if isinstance(action, Node)
    }


MODULES = {node.name: node.module for node in NODES}


def commands(names: set[str]) -> dict[str, list[str]]:
    return {name: [sys.executable, '-m', MODULES[name]] for name in names}


@pytest.mark.parametrize(
    ('file', 'given', 'left_out'),
    [
        ('demo.launch.py', {}, {RECORDER}),
        ('demo.launch.py', {'record': 'true'}, set()),
        ('demo.launch.py', {'rover': 'false'}, {RECORDER, *ROVER_NODES}),
        ('curiosity.launch.py', {}, {RECORDER, *ROVER_NODES}),
    ],
)
def test_the_nodes_of_a_launch_file(tmp_path: Path, file: str, given: Any, left_out: Any) -> None:
    assert processes(actions(file, tmp_path, **given)) == commands(ALL - left_out)


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'variant': 'C'}, 'not valid'),
        ({'world': 'moon'}, 'there is no such world'),
        ({'set': 'deadman.timeout_s=x'}, 'should be a valid number'),
        ({'planner': 'openai'}, 'planner.model'),
        ({'namespace': '1 2'}, 'use letters, digits and underscores'),
    ],
)
def test_what_cannot_be_used_is_reported_before_anything_starts(
    tmp_path: Path, given: Any, words: str
) -> None:
    with pytest.raises((BtExecutiveError, RuntimeError), match=words):
        actions('demo.launch.py', tmp_path, **given)


def test_a_stack_that_runs_already_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = next_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    taken = lock_name('/rover_1/executive', domain)
    with taken, pytest.raises(BtExecutiveError, match='runs already'):
        actions('demo.launch.py', tmp_path, namespace='rover_1')


def test_rviz_that_is_not_there_is_reported_and_the_rest_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    found = actions('demo.launch.py', tmp_path, rviz='true')
    assert processes(found) == commands(ALL - {RECORDER})
    assert any('rviz2 is not on this machine' in str(words(each)) for each in found)


def words(action: Any) -> str:
    if not isinstance(action, LogInfo):
        return ''
    return ''.join(part.perform(LaunchContext()) for part in action.msg)


class TestKeptNode:
    """A node that ends, by a clock that stands still."""

    def ended(self, kept: RespawningNode, code: int, shutdown: bool = False) -> list[Any]:
        event = SimpleNamespace(returncode=code)
        return kept._handle_exit(event, SimpleNamespace(is_shutdown=shutdown))

    def kept(self) -> RespawningNode:
        def make(_on_exit: Any, _is_first: bool) -> Node:
            return Node(executable=sys.executable, exec_name='executive')

        return RespawningNode('executive', make, lambda: 0.0)

    def test_it_is_started_again_and_later_each_time(self) -> None:
        kept = self.kept()
        for _ in range(MOST_DEATHS):
            said, again = self.ended(kept, -9)
            assert 'executive is started again in' in words(said)
            assert isinstance(again, TimerAction)
        said, again = self.ended(kept, -9)
        assert f'died more than {MOST_DEATHS} times in a minute and is started' in words(said)
        assert isinstance(again, TimerAction)

    def test_one_that_cannot_use_its_options_is_not_started_again(self) -> None:
        (said,) = self.ended(self.kept(), 2)
        assert 'cannot be started so' in words(said)

    def test_when_everything_ends_nothing_is_started(self) -> None:
        assert not self.ended(self.kept(), -2, shutdown=True)
