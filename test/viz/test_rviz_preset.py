"""The RViz preset shows what the shipped configuration publishes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from bt_executive.config import default_folder, load_config

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
        ('Odometry', TOPICS.rover.odometry),
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
