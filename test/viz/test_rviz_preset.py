"""The RViz preset shows what the shipped configuration publishes."""

from __future__ import annotations

from typing import Any

import pytest
from rclpy.qos import DurabilityPolicy
import yaml

from bt_executive.config import default_folder, load_config
from curiosity_viz.scene import NAMESPACES
from curiosity_viz.visualizer_node import MARKER_QOS

TOPICS = load_config().topics


@pytest.fixture(scope='module')
def preset() -> dict[str, Any]:
    text = (default_folder() / 'rviz.rviz').read_text(encoding='utf-8')
    return yaml.safe_load(text)['Visualization Manager']


def test_the_fixed_frame_is_the_world_frame(preset: dict[str, Any]) -> None:
    assert preset['Global Options']['Fixed Frame'] == TOPICS.tf.world_frame


@pytest.mark.parametrize(
    ('display', 'topic'),
    [
        ('MarkerArray', TOPICS.viz.marker_array),
        ('Image', TOPICS.images.output_capture_raw),
    ],
)
def test_a_display_listens_to_the_configured_topic(
    preset: dict[str, Any], display: str, topic: str
) -> None:
    (found,) = (
        each for each in preset['Displays'] if each['Class'] == f'rviz_default_plugins/{display}'
    )
    assert found['Enabled']
    assert found['Topic']['Value'] == topic


def test_every_namespace_of_the_visualizer_is_listed_and_shown(preset: dict[str, Any]) -> None:
    (markers,) = (
        each for each in preset['Displays'] if each['Class'] == 'rviz_default_plugins/MarkerArray'
    )
    assert markers['Namespaces'] == dict.fromkeys(NAMESPACES, True)


def test_a_marker_display_is_told_what_was_published_before_it_came(
    preset: dict[str, Any],
) -> None:
    (topic,) = (
        each['Topic']
        for each in preset['Displays']
        if each['Class'] == 'rviz_default_plugins/MarkerArray'
    )
    assert MARKER_QOS.durability is DurabilityPolicy.TRANSIENT_LOCAL
    assert topic['Durability Policy'] == 'Transient Local'
    assert topic['Reliability Policy'] == 'Reliable'


def test_the_camera_follows_the_rover_and_frames_are_shown(preset: dict[str, Any]) -> None:
    assert preset['Views']['Current']['Target Frame'] == TOPICS.tf.base_frame
    assert any(
        each['Class'] == 'rviz_default_plugins/TF' and each['Enabled']
        for each in preset['Displays']
    )


def test_no_display_listens_to_a_topic_that_nobody_publishes(preset: dict[str, Any]) -> None:
    listened = {each['Topic']['Value'] for each in preset['Displays'] if 'Topic' in each}
    assert listened == {TOPICS.viz.marker_array, TOPICS.images.output_capture_raw}
