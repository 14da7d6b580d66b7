"""The table of processes: who runs with which robot and packages, and in which order all end."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.launching.system_processes import (
    LOCAL_MODEL,
    NODES,
    ROVER,
    ROVER_NODES,
    check_folder,
    children_environment,
    left_out_override,
    node_named,
    nodes_without,
    unavailable_nodes,
    with_model_process,
)
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.extras import how_to_install
from rover_common.ros.node_topic_and_enclave_names import RECORDER


def test_without_the_rover_seven_processes_are_left() -> None:
    assert [node.name for node in nodes_without((*ROVER_NODES, RECORDER))] == [
        'environment_simulator',
        'curiosity_adapter',
        'curiosity_navigation',
        'visualizer',
        'executive',
        'memory',
        'vision',
    ]


def test_the_executive_ends_first_and_the_adapter_second() -> None:
    end_stage = {node.name: node.end_stage for node in NODES}
    adapters = {end_stage.pop('curiosity_adapter'), end_stage.pop('gates')}
    assert end_stage.pop('executive') < min(adapters) <= max(adapters) < min(end_stage.values())


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no node 'rovr'. Did you mean 'rover'\?") as caught:
        node_named('rovr')
    for node in NODES:
        assert node.name in str(caught.value)


def test_with_the_folder_of_another_robot_curiositys_nodes_are_left_out(tmp_path: Path) -> None:
    robot = tmp_path / 'robot.yaml'
    robot.write_text('robot: other\n')
    assert [node.name for node in nodes_without([RECORDER], tmp_path)] == ['executive', 'memory']
    robot.write_text('robot: other\nvision: {}\n')
    names = [node.name for node in nodes_without([RECORDER], robot)]
    assert names == ['executive', 'memory', 'vision']
    robot.write_text('extends: curiosity\n')
    assert [each for each in NODES if each.name != 'gates'] == [*nodes_without([], tmp_path)]


GATES = 'gates: { base: { velocity: { in: /wanted, out: /cmd_vel }, odom: /odom } }\n'


def test_gates_are_a_process_of_a_robot_that_has_some(tmp_path: Path) -> None:
    robot = tmp_path / 'robot.yaml'
    robot.write_text(GATES)
    names = [node.name for node in nodes_without([RECORDER], robot)]
    assert names == ['executive', 'gates', 'memory']
    (tmp_path / 'without.yaml').write_text('extends: ./robot.yaml\ngates: { base: null }\n')
    assert 'gates' not in {node.name for node in nodes_without([], tmp_path / 'without.yaml')}


def test_curiosity_has_an_adapter_and_no_gates(tmp_path: Path) -> None:
    robot = tmp_path / 'robot.yaml'
    robot.write_text(f'extends: curiosity\n{GATES}')
    with pytest.raises(UsageError, match='whose adapter holds the one permit of the robot'):
        nodes_without([], robot)


def test_without_its_packages_an_embedded_rover_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        'bt_executive.launching.system_processes.missing_modules',
        lambda extra: ('cv2',) if extra == 'rover' else (),
    )
    with pytest.raises(UsageError) as refused:
        nodes_without([])
    assert how_to_install('rover') in str(refused.value)
    assert '--no-rover' in str(refused.value)
    names = [node.name for node in nodes_without(ROVER_NODES)]
    assert 'curiosity_adapter' in names
    assert 'environment_simulator' not in names
    assert how_to_install('rover') in unavailable_nodes(ROVER_NODES)['environment_simulator']


def test_a_node_without_its_packages_is_left_out_and_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert unavailable_nodes([]) == {}
    assert left_out_override([]) == []
    monkeypatch.setattr(
        'bt_executive.launching.system_processes.missing_modules',
        lambda extra: ('mss',) if extra == 'vision' else (),
    )
    assert 'vision' not in [node.name for node in nodes_without([])]
    ((name, sentence),) = unavailable_nodes([]).items()
    assert name == 'vision'
    assert how_to_install('vision') in sentence
    config = load_config(None, left_out_override([]))
    assert config.why_left_out(config.topics.vision.look) == sentence
    assert config.why_left_out(config.topics.memory.recall) == ''
    assert left_out_override(['vision']) == []
    with pytest.raises(UsageError, match='vision is left out'):
        check_folder(node_named('vision'), None)


def test_a_node_that_a_robot_does_not_use_is_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        'bt_executive.launching.system_processes.missing_modules',
        lambda extra: (extra,) if extra else (),
    )
    (tmp_path / 'robot.yaml').write_text('extends: turtlebot\n')
    assert {ROVER, 'memory', 'vision'} <= {*unavailable_nodes([])}
    assert [*unavailable_nodes([], tmp_path)] == ['memory']
    assert 'vision' not in ''.join(left_out_override([], tmp_path))


def test_a_node_of_curiosity_needs_its_settings(tmp_path: Path) -> None:
    adapter = node_named('curiosity_adapter')
    (tmp_path / 'robot.yaml').write_text('robot: other\n')
    with pytest.raises(UsageError, match=r'needs the section .* `extends: curi'):
        check_folder(adapter, tmp_path)
    check_folder(node_named('executive'), tmp_path)
    check_folder(adapter, None)
    (tmp_path / 'robot.yaml').write_text('extends: curiosity\n')
    check_folder(adapter, tmp_path)


def test_a_model_runs_here_only_for_the_planner_that_asks_it() -> None:
    assert with_model_process(NODES, load_config()) == NODES
    chosen = load_config(overrides=['planner.provider=llamacpp', 'planner.model=x.gguf'])
    assert with_model_process(NODES, chosen) == (*NODES, LOCAL_MODEL)
    assert node_named('model') is LOCAL_MODEL


def test_ros_stays_on_this_machine() -> None:
    found = children_environment({'HOME': '/home/me'})
    assert found == {'HOME': '/home/me', 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def test_what_the_user_chose_wins() -> None:
    found = children_environment({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'})
    assert found['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'SUBNET'
