"""The direct logger writes what the memory reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from curiosity_sim.rover.world import World
from curiosity_sim.scene_logger import main, world_as_gml
from embodied_nav.gml.gml_import import read_gml
from rover_common.config.settings.world import Feature


def test_every_named_thing_of_a_world_is_read_back(tmp_path: Path) -> None:
    odd = Feature(
        name='岩 "A&B"', kind='rock', x=-1.5, y=2.0, size_m=0.75, height_m=1.0, caption='a "b" & c'
    )
    sand = Feature(name='Soft Bay', kind='sand', x=0.0, y=0.0, size_m=3.0)
    file = tmp_path / 'topological_graph.gml'
    file.write_text(world_as_gml(World(seed=1, rocks=(), features=(odd, sand)), 'odom'))
    first, second = read_gml(file).nodes
    assert (first.name, first.caption, first.label) == (odd.name, odd.caption, 'rock')
    assert (first.position, first.radius_m, first.frame_id) == ((-1.5, 2.0, 0.0), 0.75, 'odom')
    assert (second.name, second.position) == ('Soft Bay', (0.0, 0.0, 0.0))


@pytest.mark.slow
def test_a_shipped_world_is_logged_whole(tmp_path: Path) -> None:
    file = tmp_path / 'all.gml'
    assert main([str(file), '--set', 'rover.world=badlands']) == 0
    assert len(read_gml(file).nodes) == 100


def test_a_file_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / 'no' / 'all.gml')]) == 2
    assert 'cannot be written' in capsys.readouterr().err
