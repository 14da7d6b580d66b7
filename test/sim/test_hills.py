"""The camera in worlds with hills: rays, skyline and pictures say the same as the geometry."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from curiosity_sim.camera.camera import Camera
from curiosity_sim.camera.landscape import Landscape
from curiosity_sim.camera.projection import CELL, Eye, Grid, Lens, direction_of, turn_of
from curiosity_sim.camera.ray_lengths_to_hilly_ground import BEARINGS, Plain, Skyline
from curiosity_sim.rover.attitude import Attitude, rotation, settle
from curiosity_sim.rover.mast import PAN, TILT, Mast
from curiosity_sim.rover.mast_geometry import CameraPose, camera_pose, head_pose
from curiosity_sim.rover.rocks import Rock
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, LEVEL, Terrain
from curiosity_sim.rover.world import World, make_world
from rover_common.config.load import load_config
from rover_common.config.settings.world import SunSettings
from rover_common.geometry.planar_motion import Pose2D

BLUE = (220, 60, 40)
LENS = Lens(320, 240, 1.396)


def dome(x: float, y: float, radius: float, tall: float) -> Terrain:
    axis = np.arange(CELLS) * CELL_M - HALF_M
    east, north = np.meshgrid(axis - x, axis - y)
    away = np.minimum(np.hypot(east, north) / radius, 1.0)
    return Terrain((tall * (1.0 + np.cos(np.pi * away)) / 2.0).astype(np.float32))


def open_mast() -> Mast:
    mast = Mast()
    mast.positions[PAN] = -0.5
    return mast


def small_camera(world: World) -> Camera:
    settings = load_config().curiosity.rover.camera
    return Camera(settings.model_copy(update={'width': 320, 'height': 240}), world)


@pytest.mark.parametrize(
    'attitude', [Attitude(), Attitude(0.4, 0.2, -0.1), Attitude(-1.0, -0.3, 0.3)]
)
@pytest.mark.parametrize('tilt', [0.0, 0.7])
def test_the_camera_is_fixed_to_the_tilted_body(attitude: Attitude, tilt: float) -> None:
    mast = open_mast()
    mast.positions[TILT] = tilt
    base = Pose2D(3.0, -2.0, 0.8)
    pose = camera_pose(base, mast, attitude)
    head = head_pose(mast)
    turn = rotation(base.yaw, attitude.pitch, attitude.roll)
    place = turn @ (head.x, head.y, head.z) + (base.x, base.y, attitude.z)
    assert (pose.x, pose.y, pose.z) == pytest.approx(tuple(place))
    ahead, left, up = (turn @ rotation(head.yaw, head.down, 0.0)).T
    assert np.allclose(Eye(LENS, pose).axes, [-left, -up, ahead])


def pixel(cell: int) -> float:
    """The pixel in the middle of a cell of the table."""
    return (cell - 1) * CELL + (CELL - 1) / 2.0


def crest(terrain: Terrain, pose: CameraPose, bearing: float, farthest: float = 150.0) -> float:
    """Tangent of the elevation of the highest ground in a direction, by brute force."""
    away = np.arange(1.0, farthest, 0.05)
    places = zip(pose.x + away * math.cos(bearing), pose.y + away * math.sin(bearing), strict=True)
    return float(np.max((np.array([terrain.height(x, y) for x, y in places]) - pose.z) / away))


@pytest.mark.parametrize('roll', [0.0, 0.25])
def test_rays_and_projection_are_inverse(roll: float) -> None:
    eye = Eye(LENS, CameraPose(1.0, 2.0, 2.5, yaw=0.7, down=0.3, roll=roll))
    rays = Grid(LENS).rays(eye)
    for row, column in ((3, 5), (30, 40), (58, 75)):
        up = rays.sine[row, column] * rays.length[row, column]
        ray = np.array([rays.east[row, column], rays.north[row, column], up])
        point = np.array([1.0, 2.0, 2.5]) + 30.0 * ray
        assert eye.project(eye.see(point)) == pytest.approx((pixel(column), pixel(row)), abs=0.01)
        bearing = math.atan2(rays.left[row, column], rays.forward[row, column])
        assert bearing == pytest.approx(math.atan2(ray[1], ray[0]) - 0.7, abs=1e-4)


@given(st.floats(-math.pi, math.pi))
def test_turns_are_a_measure_of_angles(angle: float) -> None:
    (turn,) = turns = turn_of(np.array([math.cos(angle)]), np.array([math.sin(angle)]))
    assert -2.0 <= turn <= 2.0
    assert turn * angle >= 0.0
    (forward,), (left,) = direction_of(turns)
    assert (forward, left) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize('roll', [0.0, 0.2])
@pytest.mark.parametrize('terrain', [LEVEL, dome(14.0, 3.0, 9.0, 2.5)], ids=['level', 'dome'])
def test_a_pixel_of_the_ground_lies_where_the_terrain_is(terrain: Terrain, roll: float) -> None:
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.1, yaw=0.1, down=0.15, roll=roll))
    view = Landscape(World(seed=7, rocks=(), terrain=terrain), LENS).render(eye)
    ground = np.argwhere((view.above[view.first :] < -4.0) & (view.distance < 60.0))
    assert len(ground) > 2000
    for row, column in ground[::7]:
        x, y = float(view.east[row, column]), float(view.north[row, column])
        back = eye.project(eye.see(np.array([x, y, terrain.height(x, y)])))
        assert back == pytest.approx((pixel(column), pixel(view.first + row)), abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize('roll', [0.0, 0.15])
def test_the_sky_begins_at_the_crest(roll: float) -> None:
    terrain = dome(20.0, 3.0, 12.0, 6.0)
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.1, roll=roll))
    view = Landscape(World(seed=7, rocks=(), terrain=terrain), LENS).render(eye)
    for column in range(5, 80, 12):
        row = float(np.interp(0.0, -view.above[:, column], np.arange(len(view.above))))
        flat = np.array([pixel(column), pixel(1) + (row - 1.0) * CELL])
        aside, below = (flat - LENS.centre) / LENS.focal
        ray = eye.axes.T @ (aside, below, 1.0)
        elevation = ray[2] / math.hypot(ray[0], ray[1])
        highest = crest(terrain, eye.pose, math.atan2(ray[1], ray[0]))
        # The far plain fades into the sky within a pixel of the horizon.
        assert elevation == pytest.approx(max(highest, 0.0), abs=1.5 / LENS.focal)


@pytest.mark.slow
def test_level_ground_is_met_where_the_plane_is() -> None:
    flat = Terrain(np.zeros((CELLS, CELLS), np.float32))
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.0, yaw=0.0, down=0.2))
    rays = Grid(LENS).rays(eye)
    uneven, plain = Skyline.of(flat, eye).nearness(rays), Plain(2.0).nearness(rays)
    ground = (rays.sine < -0.04) & (rays.sine > -0.6)
    assert uneven[ground] == pytest.approx(plain[ground], rel=0.01)


@pytest.mark.slow
def test_the_skyline_never_falls_with_the_distance_and_is_the_steepest_ground_so_far() -> None:
    terrain = dome(20.0, 3.0, 12.0, 6.0)
    pose = CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.1)
    skyline = Skyline.of(terrain, Eye(LENS, pose))
    assert (np.diff(skyline.sines, axis=1) >= 0.0).all()
    forward, left = direction_of(np.linspace(-skyline.half, skyline.half, BEARINGS))
    for index in (30, 60, 90):
        highest = max(crest(terrain, pose, math.atan2(left[index], forward[index])), 0.0)
        assert skyline.sines[index, -1] == pytest.approx(math.sin(math.atan(highest)), abs=0.002)


@pytest.mark.slow
def test_heights_of_many_places_are_those_of_each() -> None:
    hill = dome(14.0, 3.0, 9.0, 2.5)
    x, y = np.random.default_rng(1).uniform(0.0, 25.0, (2, 1, 50)).astype(np.float32)
    for terrain in (hill, LEVEL):
        each = [terrain.height(a, b) for a, b in zip(x[0].tolist(), y[0].tolist(), strict=True)]
        assert terrain.heights_at(x, y)[0] == pytest.approx(each, abs=1e-4)


@pytest.mark.slow
def test_a_hill_covers_what_is_behind_it_and_not_what_is_before_it() -> None:
    terrain = dome(20.0, 0.0, 8.0, 4.0)
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.1))
    places = np.array([[8.0, 0.0], [40.0, 0.0], [40.0, 30.0]])
    cover = Skyline.of(terrain, eye).cover(places, np.hypot(*places.T))
    assert cover[0] < 0.0
    assert cover[1] == pytest.approx(2.1 + 40.0 * crest(terrain, eye.pose, 0.0), abs=0.15)
    assert cover[2] < 0.1


def blue(picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.nonzero(picture[..., 0].astype(int) > picture[..., 2].astype(int) + 25)
    return rows, columns


@pytest.mark.slow
def test_of_a_rock_behind_a_crest_only_what_stands_above_it_is_seen() -> None:
    hill = dome(20.0, 0.0, 8.0, 3.0)
    rock = Rock(34.0, 0.0, 4.0, 8.0, BLUE, 5, ground=hill.height(34.0, 0.0))
    base, pose = Pose2D(), CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.05)
    free = small_camera(World(seed=7, rocks=(rock,))).picture(pose, base)
    hidden = small_camera(World(seed=7, rocks=(rock,), terrain=hill)).picture(pose, base)
    edge = LENS.centre[1] - LENS.focal * math.tan(
        math.atan(crest(hill, pose, 0.0, farthest=30.0)) + pose.down
    )
    free_rows, rows = (blue(picture[:, 158:162])[0] for picture in (free, hidden))
    assert rows.min() == pytest.approx(free_rows.min(), abs=1)
    assert rows.max() == pytest.approx(edge, abs=2.0)
    assert free_rows.max() > edge + 10.0


@pytest.mark.slow
def test_a_rock_wholly_behind_a_hill_and_its_shadow_are_not_seen() -> None:
    hill = dome(20.0, 0.0, 8.0, 4.0)
    rock = Rock(31.0, 0.0, 0.6, 0.8, BLUE, 5, ground=hill.height(31.0, 0.0))
    base, pose = Pose2D(), CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.05)
    bare = small_camera(World(seed=7, rocks=(), terrain=hill)).picture(pose, base)
    hidden = small_camera(World(seed=7, rocks=(rock,), terrain=hill)).picture(pose, base)
    assert np.array_equal(bare, hidden)


@pytest.mark.slow
@pytest.mark.parametrize('base', [Pose2D(0.0, 0.0, 0.0), Pose2D(4.0, 1.0, 0.4)])
def test_a_rock_on_a_slope_appears_where_it_is_projected(base: Pose2D) -> None:
    terrain = dome(14.0, 4.0, 9.0, 2.5)
    ground = terrain.height(10.0, 3.0)
    rock = Rock(10.0, 3.0, 0.6, 0.8, BLUE, 5, ground=ground)
    camera = small_camera(World(seed=7, rocks=(rock,), terrain=terrain))
    attitude = settle(terrain, base)
    pose = camera_pose(base, open_mast(), attitude)
    eye = Eye(camera.lens, pose)
    seen = eye.see(np.array([rock.x, rock.y, ground + 0.4]))
    picture = camera.picture(pose, base, attitude)
    rows, columns = blue(picture)
    reach = 0.6 / seen[2] * camera.lens.focal
    assert (columns.mean(), rows.mean()) == pytest.approx(
        tuple(eye.project(seen)), abs=0.5 * reach + 1.0
    )


@pytest.mark.long
@pytest.mark.parametrize('size', [(320, 240), (161, 123)])
def test_any_size_and_any_mast_can_be_drawn(size: tuple[int, int]) -> None:
    rover = load_config(None, ['rover.world=dunes']).curiosity.rover
    update = {'width': size[0], 'height': size[1]}
    camera = Camera(rover.camera.model_copy(update=update), make_world(rover))
    mast = open_mast()
    for tilt in (0.0, 0.8, 1.57):
        mast.positions[TILT] = tilt
        attitude = Attitude(0.2, 0.3, -0.3)
        pose = camera_pose(Pose2D(), mast, attitude)
        assert camera.picture(pose, Pose2D(), attitude).shape == (size[1], size[0], 3)


@pytest.mark.slow
def test_slopes_towards_the_sun_are_brighter() -> None:
    world = World(seed=1, rocks=(), terrain=dome(0.0, 0.0, 10.0, 4.0))
    shading = world.terrain.sunlight(world.sun.direction)
    x, y, _ = world.sun.direction
    length = math.hypot(x, y)

    def light(side: float) -> float:
        row = round((side * 5.0 * y / length + HALF_M) / CELL_M)
        return float(shading[row, round((side * 5.0 * x / length + HALF_M) / CELL_M)])

    assert light(1.0) > 1.1 > 0.9 > light(-1.0)
    assert shading[0, 0] == pytest.approx(1.0)


@pytest.mark.slow
def test_a_hill_throws_a_shadow_away_from_the_sun_and_level_ground_is_in_full_light() -> None:
    terrain = dome(0.0, 0.0, 10.0, 6.0)
    sun = SunSettings(azimuth_rad=0.0, elevation_rad=0.3)
    light = terrain.sunlight(sun.direction)

    def at(x: float) -> float:
        return float(light[round(HALF_M / CELL_M), round((x + HALF_M) / CELL_M)])

    reach = 6.0 / math.tan(sun.elevation_rad)
    assert at(-0.8 * reach) < 0.6
    assert at(-1.2 * reach) == pytest.approx(1.0)
    assert at(15.0) == pytest.approx(1.0)
