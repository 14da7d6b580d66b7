"""The camera in worlds with hills: rays, skyline and pictures say the same as the geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bt_executive.config import load_config
from curiosity_sim.camera.camera import Camera
from curiosity_sim.camera.rays import Rays
from curiosity_sim.camera.skyline import FARTHEST_M, Skyline
from curiosity_sim.camera.view import Eye, Lens
from curiosity_sim.rover.kinematics import PlanarPose
from curiosity_sim.rover.mast import PAN, TILT, Mast
from curiosity_sim.rover.mast_geometry import CameraPose, camera_pose, head_pose
from curiosity_sim.rover.stance import Stance, rotation, settle
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, Terrain
from curiosity_sim.rover.world import Rock, World, make_world

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


@pytest.mark.parametrize('stance', [Stance(), Stance(0.4, 0.2, -0.1), Stance(-1.0, -0.3, 0.3)])
@pytest.mark.parametrize('tilt', [0.0, 0.7])
def test_the_camera_is_fixed_to_the_tilted_body(stance: Stance, tilt: float) -> None:
    mast = open_mast()
    mast.positions[TILT] = tilt
    base = PlanarPose(3.0, -2.0, 0.8)
    pose = camera_pose(base, mast, stance)
    head = head_pose(mast)
    turn = rotation(base.yaw, stance.pitch, stance.roll)
    place = turn @ (head.x, head.y, head.z) + (base.x, base.y, stance.z)
    assert (pose.x, pose.y, pose.z) == pytest.approx(tuple(place))
    ahead, left, up = (turn @ rotation(head.yaw, head.down, 0.0)).T
    assert np.allclose(Eye(LENS, pose).axes, [-left, -up, ahead])


@pytest.mark.parametrize('roll', [0.0, 0.25])
def test_rays_and_projection_are_inverse(roll: float) -> None:
    eye = Eye(LENS, CameraPose(1.0, 2.0, 2.5, yaw=0.7, down=0.3, roll=roll))
    rays = Rays.of(eye)
    for row, column in ((10, 20), (120, 160), (230, 300)):
        up = rays.sine[row, column] / math.sqrt(1.0 - float(rays.sine[row, column]) ** 2)
        ray = np.array([rays.east[row, column], rays.north[row, column]])
        away = ray / np.linalg.norm(ray) * 30.0
        point = np.array([1.0 + away[0], 2.0 + away[1], 2.5 + 30.0 * up])
        assert eye.project(eye.see(point)) == pytest.approx((column, row), abs=0.05)
        seen = math.atan2(away[1], away[0]) - 0.7
        assert rays.bearing[row, column] == pytest.approx(seen, abs=0.01)


def test_a_pixel_of_the_ground_lies_where_the_terrain_is() -> None:
    terrain = dome(14.0, 3.0, 9.0, 2.5)
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.1, yaw=0.1, down=0.15, roll=0.05))
    rays, skyline = Rays.of(eye), Skyline.of(terrain, eye)
    near = skyline.nearness(rays.bearing, rays.sine)
    checked = 0
    for row in range(40, 240, 10):
        for column in range(5, 320, 21):
            distance = 1.0 / max(float(near[row, column]), 1e-9)
            if distance > 60.0:
                continue
            reach = distance / rays.level[row, column]
            x, y = rays.east[row, column] * reach, rays.north[row, column] * reach
            point = np.array([x, y, terrain.height(float(x), float(y))])
            back = eye.project(eye.see(point))
            assert back == pytest.approx((column, row), abs=1.5), (row, column, distance)
            checked += 1
    assert checked > 100


def test_level_ground_is_met_where_the_plane_is() -> None:
    flat = Terrain(np.zeros((CELLS, CELLS), np.float32))
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.0, yaw=0.0, down=0.2))
    rays = Rays.of(eye)
    near = Skyline.of(flat, eye).nearness(rays.bearing, rays.sine)
    row = 200
    fall = -rays.sine[row, 160] / math.sqrt(1.0 - float(rays.sine[row, 160]) ** 2)
    assert 1.0 / near[row, 160] == pytest.approx(2.0 / fall, rel=0.01)
    assert near[5, 160] < 1.0 / FARTHEST_M


def test_a_hill_hides_the_rock_behind_it_and_not_the_one_before_it() -> None:
    terrain = dome(20.0, 0.0, 8.0, 4.0)
    eye = Eye(LENS, CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.1))
    skyline = Skyline.of(terrain, eye)
    places = np.array([[8.0, 0.0], [40.0, 0.0], [40.0, 30.0]])
    assert skyline.hides(places, np.array([1.0, 1.0, 1.0])).tolist() == [False, True, False]
    assert not skyline.hides(places[1:2], np.array([12.0]))[0]


@pytest.mark.parametrize('base', [PlanarPose(0.0, 0.0, 0.0), PlanarPose(4.0, 1.0, 0.4)])
def test_a_rock_on_a_slope_appears_where_it_is_projected(base: PlanarPose) -> None:
    terrain = dome(14.0, 4.0, 9.0, 2.5)
    ground = terrain.height(10.0, 3.0)
    rock = Rock(10.0, 3.0, 0.6, 0.8, BLUE, 5, ground=ground)
    camera = small_camera(World(seed=7, rocks=(rock,), terrain=terrain))
    stance = settle(terrain, base)
    pose = camera_pose(base, open_mast(), stance)
    eye = Eye(camera.lens, pose)
    seen = eye.see(np.array([rock.x, rock.y, ground + 0.4]))
    picture = camera.picture(pose, base, stance).astype(int)
    rows, columns = np.nonzero(picture[..., 0] > picture[..., 2] + 25)
    reach = 0.6 / seen[2] * camera.lens.focal
    assert (columns.mean(), rows.mean()) == pytest.approx(
        tuple(eye.project(seen)), abs=0.5 * reach + 1.0
    )


@pytest.mark.parametrize('size', [(320, 240), (161, 123), (800, 800)])
def test_any_size_and_any_mast_can_be_drawn(size: tuple[int, int]) -> None:
    rover = load_config(None, ['rover.world=dunes']).curiosity.rover
    update = {'width': size[0], 'height': size[1]}
    camera = Camera(rover.camera.model_copy(update=update), make_world(rover))
    mast = open_mast()
    for tilt in (0.0, 0.8, 1.57):
        mast.positions[TILT] = tilt
        stance = Stance(0.2, 0.3, -0.3)
        pose = camera_pose(PlanarPose(), mast, stance)
        assert camera.picture(pose, PlanarPose(), stance).shape == (size[1], size[0], 3)


def test_slopes_towards_the_sun_are_brighter() -> None:
    world = World(seed=1, rocks=(), terrain=dome(0.0, 0.0, 10.0, 4.0))
    shading = world.terrain.shading(world.sun.direction)
    x, y, _ = world.sun.direction
    length = math.hypot(x, y)

    def light(side: float) -> float:
        row = round((side * 5.0 * y / length + HALF_M) / CELL_M)
        return float(shading[row, round((side * 5.0 * x / length + HALF_M) / CELL_M)])

    assert light(1.0) > 1.1 > 0.9 > light(-1.0)
    assert shading[0, 0] == pytest.approx(1.0)
