"""The shipped worlds, and what their files decide."""

from __future__ import annotations

import math
from pathlib import Path

from known import known
import numpy as np
import pytest

from curiosity_sim.image_score_and_ground_statistics import field_score
from curiosity_sim.rover.blocking_rocks_and_slopes import CLIMBABLE_M
from curiosity_sim.rover.world import make_world
from curiosity_sim.world_generator import main, world_file
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import RoverSettings
from rover_common.config.settings.world import BrightSpot, LightField
from rover_common.errors import ConfigError

SHIPPED = sorted(path.stem for path in (default_folder() / 'worlds').glob('*.yaml'))


def rover_in(world: str, *overrides: str) -> RoverSettings:
    return load_config(None, [f'rover.world={world}', *overrides]).curiosity.rover


def test_three_worlds_are_shipped_and_the_default_is_the_specs() -> None:
    assert len(SHIPPED) >= 3
    default = load_config().curiosity.rover.world
    assert (default.name, default.light, default.wheels.slip) == ('default', None, 0.0)


def test_the_page_tells_of_every_shipped_world() -> None:
    page = (default_folder().parent / 'docs' / 'worlds.md').read_text(encoding='utf-8')
    assert all(f'| `{name}` |' in page for name in SHIPPED)


@pytest.mark.slow
@pytest.mark.parametrize('name', SHIPPED)
def test_a_shipped_world_is_made_the_same_twice_and_starts_free(name: str) -> None:
    first, again = make_world(rover_in(name)), make_world(rover_in(name))
    assert first.rocks == again.rocks
    assert np.array_equal(first.terrain.heights, again.terrain.heights)
    for rock in first.rocks:
        away = math.hypot(rock.x - first.start.x, rock.y - first.start.y)
        assert rock.height <= CLIMBABLE_M or away > rock.radius + 1.5, rock.name


@pytest.mark.slow
def test_named_features_stand_where_the_file_says() -> None:
    settings = rover_in('crater')
    world = make_world(settings)
    rocks = {rock.name: rock for rock in world.rocks}
    for feature in settings.world.features:
        if feature.kind == 'rock':
            rock = rocks[feature.name]
            assert (rock.x, rock.y, rock.radius) == (feature.x, feature.y, feature.size_m)
            assert rock.ground == world.terrain.height(feature.x, feature.y)
    crater = next(item for item in settings.world.features if item.kind == 'crater')
    rim = world.terrain.height(crater.x + crater.size_m, crater.y)
    assert world.terrain.height(crater.x, crater.y) < rim - 0.5 * known(crater.height_m)


@pytest.mark.slow
def test_overrides_of_seed_start_and_rocks_win_over_the_world() -> None:
    settings = rover_in('dunes', 'rover.seed=5', 'rover.start.x=2.5', 'rover.rocks=3')
    world = make_world(settings)
    assert (world.seed, world.start.x, world.start.y) == (5, 2.5, 0.0)
    assert sum(rock.name == 'a rock' for rock in world.rocks) == 3


def test_a_value_of_the_world_can_be_set_on_the_command_line() -> None:
    assert rover_in('dunes', 'rover.world.wheels.slip=0.25').world.wheels.slip == 0.25


def test_a_world_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('description: mine\nrocks: {count: 0}\n', encoding='utf-8')
    world = rover_in(str(file)).world
    assert (world.name, world.rocks.count) == ('mine', 0)


def test_faults_of_a_world_file_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no such world; did you mean 'crater'.*default"):
        rover_in('krater')
    file = tmp_path / 'bad.yaml'
    file.write_text('description: bad\nrocks: {cuont: 1}\n', encoding='utf-8')
    with pytest.raises(ConfigError, match=r'bad\.yaml: unknown key .*rocks\.cuont'):
        rover_in(str(file))
    file.write_text(
        'description: bad\nfeatures: [{name: Wall, kind: rock, x: 1, y: 0, size_m: 2, '
        'height_m: 1}]\n',
        encoding='utf-8',
    )
    with pytest.raises(ConfigError, match=r'bad\.yaml.*starts in the rock .Wall.'):
        rover_in(str(file))


@pytest.mark.slow
@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('keep_out: [{name: Pit, polygon: [[-1, -1], [2, -1], [0, 3]]}]', 'keep-out zone .Pit.'),
        ('keep_out: [{name: Pit, polygon: [[5, 5], [8, 8], [8, 5], [5, 8]]}]', 'not a simple'),
        ('features: [{name: T, kind: sand, x: 9, y: 3, size_m: 1}, '
         '{name: T, kind: sand, x: 19, y: 3, size_m: 1}]', 'called .T.'),
        ('features: [{name: Far, kind: hill, x: 900, y: 3, size_m: 4, height_m: 2}]', 'ends at'),
        ('features: [{name: Wall, kind: hill, x: 2, y: 0, size_m: 3, height_m: 9}]', 'slope of'),
        ('features: [{name: R, kind: rock, x: 99, y: 0, size_m: 21, height_m: 9}]', 'has size_m'),
        ('features: [{name: R, kind: rock, x: 9, y: 0, size_m: 2, height_m: 21}]', 'has height_m'),
        ('rocks: {count: 3}\n'
         'features: [{name: Sea, kind: sand, x: 0, y: 0, size_m: 200}]', 'no room for'),
    ],
    ids=['start in a zone', 'crossed zone', 'name twice', 'off the ground', 'steep', 'wide rock',
         'tall rock', 'full'],
)  # fmt: skip
def test_a_world_whose_values_do_not_go_together_is_refused(
    tmp_path: Path, text: str, reason: str
) -> None:
    file = tmp_path / 'odd.yaml'
    file.write_text(f'description: odd\n{text}\n', encoding='utf-8')
    settings = rover_in(str(file))
    with pytest.raises(ConfigError, match=rf"^World 'odd': .*{reason}"):
        make_world(settings)


@pytest.mark.slow
def test_a_start_of_the_configuration_in_a_rock_is_refused() -> None:
    settings = rover_in('crater', 'rover.start.x=9.0')
    with pytest.raises(ConfigError, match=r"^World 'crater': .*starts in the rock .Gatekeeper."):
        make_world(settings)


@pytest.mark.slow
@pytest.mark.parametrize('name', ['Gatekeper', 'Lookout'])  # Lookout is a hill
def test_a_rock_to_remove_that_there_is_not_is_refused(name: str) -> None:
    settings = rover_in('crater', f'rover.faults=["removed:{name}"]')
    with pytest.raises(ConfigError, match=rf"^World 'crater' has no rock .*removed:{name}.*"):
        make_world(settings)


def test_a_light_field_is_brightest_in_its_spots() -> None:
    field = LightField(
        base=0.1,
        spots=(BrightSpot(x=5.0, y=2.0, sigma_m=2.0), BrightSpot(x=0, y=9, sigma_m=1, peak=0.5)),
    )
    assert field_score(5.0, 2.0, field) == 1.0
    assert field_score(0.0, 9.0, field) == pytest.approx(0.5, abs=0.01)
    assert field_score(7.0, 2.0, field) == pytest.approx(0.1 + 0.9 * math.exp(-0.5))
    assert field_score(100.0, 100.0, field) == pytest.approx(0.1)


def test_the_world_to_get_lost_in_is_as_large_as_it_says() -> None:
    settings = rover_in('badlands').world
    assert len(settings.features) == 100
    assert len({feature.name for feature in settings.features}) == 100
    assert all(feature.caption for feature in settings.features)
    far = max(math.hypot(feature.x, feature.y) for feature in settings.features)
    assert far == pytest.approx(100.0, abs=3.0)


def test_the_shipped_badlands_are_what_their_first_line_makes() -> None:
    file = default_folder() / 'worlds' / 'badlands.yaml'
    assert file.read_text(encoding='utf-8') == world_file(5, 100, 100.0)


@pytest.mark.slow
def test_a_field_of_features_has_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['--count', '121']) == 2
    assert main(['--radius', '9']) == 2
    assert 'names for up to 120' in (told := capsys.readouterr().err)
    assert 'no room' in told


def test_nothing_of_the_field_of_rocks_moved_for_the_named_ones() -> None:
    named = {feature.name for feature in rover_in('default').world.features}
    with_them = make_world(rover_in('default'))
    without = make_world(rover_in('default', 'rover.world.features=[]'))
    assert [rock for rock in with_them.rocks if rock.name not in named] == [*without.rocks]


@pytest.mark.slow
@pytest.mark.parametrize('name', SHIPPED)
def test_a_named_rock_is_a_body_where_the_rover_bumps_into_it(name: str) -> None:
    settings = rover_in(name)
    rocks = {rock.name: rock for rock in make_world(settings).rocks}
    for feature in settings.world.features:
        bumped = feature.kind == 'rock' and rocks[feature.name].height > CLIMBABLE_M
        assert feature.stops == bumped, feature.name
