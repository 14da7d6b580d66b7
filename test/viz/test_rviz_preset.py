"""The RViz preset shows what the nodes of the shipped configuration publish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rclpy.node import Node
from rclpy.qos import (
    DurabilityPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
)
from waiting import wait_until
import yaml

from curiosity_sim.simulator_node import SimulatorNode
from curiosity_viz.scene import NAMESPACES
from curiosity_viz.visualizer_node import VisualizerNode
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.ros.run_node import NodeOptions
from rover_vision.ros.vision_topics import LastLook

CONFIG = load_config()
TOPICS = CONFIG.topics
MARKERS = 'rviz_default_plugins/MarkerArray'
# What the displays of the preset subscribe to.
TYPES = {
    MARKERS: 'visualization_msgs/msg/MarkerArray',
    'rviz_default_plugins/Image': 'sensor_msgs/msg/Image',
}


@pytest.fixture(scope='module')
def preset() -> dict[str, Any]:
    text = (default_folder() / 'rviz.rviz').read_text(encoding='utf-8')
    shown: dict[str, Any] = yaml.safe_load(text)['Visualization Manager']
    return shown


@pytest.fixture(scope='module')
def listening(preset: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The displays that have a topic, by that."""
    return {each['Topic']['Value']: each for each in preset['Displays'] if 'Topic' in each}


@pytest.fixture
def graph() -> Iterator[Node]:
    """A node that sees those whose topics the preset shows."""
    rclpy.init()
    nodes = [make(NodeOptions(CONFIG, None)) for make in (VisualizerNode, SimulatorNode)]
    nodes += [Node('vision'), Node('rviz')]
    LastLook(nodes[-2], TOPICS.vision.picture, TOPICS.vision.words)
    try:
        yield nodes[-1]
    finally:
        for node in nodes:
            node.destroy_node()
        rclpy.shutdown()


def test_what_is_shown_at_start(
    preset: dict[str, Any], listening: dict[str, dict[str, Any]]
) -> None:
    assert preset['Global Options']['Fixed Frame'] == TOPICS.tf.world_frame
    assert preset['Views']['Current']['Target Frame'] == TOPICS.tf.base_frame
    assert all(each['Enabled'] for each in preset['Displays'])
    assert 'rviz_default_plugins/TF' in {each['Class'] for each in preset['Displays']}
    assert listening.keys() == {
        TOPICS.viz.marker_array,
        TOPICS.images.output_capture_raw,
        TOPICS.vision.picture,
    }


def test_every_namespace_of_the_visualizer_is_listed(
    listening: dict[str, dict[str, Any]],
) -> None:
    assert listening[TOPICS.viz.marker_array]['Namespaces'] == dict.fromkeys(NAMESPACES, True)


@pytest.mark.ros
def test_every_topic_is_published_with_the_type_and_quality_that_its_display_asks_for(
    listening: dict[str, dict[str, Any]], graph: Node
) -> None:
    for topic, asked in listening.items():
        (publisher,) = publishers(graph, topic)
        assert publisher.topic_type == TYPES[asked['Class']]
        compatibility, reason = qos_check_compatible(publisher.qos_profile, qos(asked['Topic']))
        assert compatibility != QoSCompatibility.ERROR, reason


def test_markers_from_before_rviz_came_are_asked_for(
    listening: dict[str, dict[str, Any]],
) -> None:
    asked = qos(listening[TOPICS.viz.marker_array]['Topic'])
    assert asked.durability is DurabilityPolicy.TRANSIENT_LOCAL
    assert asked.reliability is ReliabilityPolicy.RELIABLE


def publishers(graph: Node, topic: str) -> list[Any]:
    return wait_until(
        lambda: graph.get_publishers_info_by_topic(topic), f'somebody publishes {topic}'
    )


def qos(topic: dict[str, Any]) -> QoSProfile:
    """The quality of service that a display's settings ask for."""
    return QoSProfile(
        depth=topic['Depth'],
        reliability=ReliabilityPolicy[topic['Reliability Policy'].upper().replace(' ', '_')],
        durability=DurabilityPolicy[topic['Durability Policy'].upper().replace(' ', '_')],
    )
