"""What the map of a run shows."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st
import pytest
import yaml

from bt_executive.view.page_data_fields_and_json import Place, World
from bt_executive.view.world_map_data import FLAT, MEMORY, remembered_places, world_of
from rover_common.config.config_as_files import files_of
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder

CONFIG = load_config(None)
LONGEST_S = CONFIG.executive.safety.battery_max_age_s
WAITS = st.lists(st.sampled_from([0.5, 1.0, 4.9, 5.1, 30.0]), min_size=1, max_size=30)


BISHOP = {'id': 'n1', 'name': 'Bishop', 'x': 24.0, 'y': 10, 'radius_m': 0.8}


def test_remembered_places_stand_beside_those_of_the_world() -> None:
    places = world_of(load_config(), remembered=remembered_places([BISHOP])).places
    assert places[-1] == Place(MEMORY, 'Bishop', 24.0, 10.0, 0.8)
    assert {place.kind for place in places[:-1]} == {FLAT}  # of the default world
    assert world_of(None, remembered=remembered_places([BISHOP])).places == [places[-1]]


ROBOTS = sorted(path.name for path in (default_folder() / 'robots').iterdir())


@pytest.mark.slow
@pytest.mark.parametrize('robot', ROBOTS)
def test_another_robot_does_not_stand_in_the_embedded_ones_world(
    robot: str, tmp_path: Path
) -> None:
    config = load_config(default_folder() / 'robots' / robot)
    assert world_of(config) == World(frame=config.topics.tf.world_frame, zones=[], places=[])
    for path, content in files_of(config).items():
        file = tmp_path / f'{path}.yaml'
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    assert world_of(load_config(tmp_path)) == world_of(config), 'as a run keeps it'


def test_what_a_recording_has_in_the_place_of_places_may_be_anything() -> None:
    odd = [7, {}, {'x': 1.0, 'y': 'a', 'radius_m': 1.0}, {**BISHOP, 'x': 1e300}, None]
    odd.append({**BISHOP, 'radius_m': 10**400})
    assert remembered_places(odd) == []
    assert remembered_places('rock') == []


def test_a_body_is_no_mark() -> None:
    config = load_config(None, ['rover.world=crater'])
    kinds = {place.name: place.kind for place in world_of(config).places}
    assert kinds['Gatekeeper'] == 'rock'
    assert (kinds['Lookout'], kinds['Flour Pan']) == ('hill', 'sand')
    assert FLAT not in kinds.values()
