"""The camera shows the world as the geometry says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import math
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from curiosity_sim.camera.__main__ import main
from curiosity_sim.camera.camera import Camera, body_faces, outline, placed, to_odom
from curiosity_sim.camera.ground_texture import NEAR_M, Ground, halvings_for, make_ground
from curiosity_sim.camera.painter import may_be_seen
from curiosity_sim.camera.projection import Eye, Lens
from curiosity_sim.camera.ray_lengths_to_hilly_ground import Plain
from curiosity_sim.camera.rock_faces import rock_faces
from curiosity_sim.camera.rock_field import RockField
from curiosity_sim.image_pipeline import decode
from curiosity_sim.rover.attitude import Attitude
from curiosity_sim.rover.mast import PAN, TILT, Mast
from curiosity_sim.rover.mast_geometry import HEAD_HEIGHT_M, CameraPose, camera_pose, head_pose
from curiosity_sim.rover.rocks import Rock, bgr
from curiosity_sim.rover.world import LOOK, SUN, World, make_world
from rover_common.config.load import load_config
from rover_common.config.settings.curiosity import CameraSettings
from rover_common.config.settings.world import Feature, SunSettings
from rover_common.geometry.planar_motion import Pose2D

pytestmark = pytest.mark.long

BLUE = (220, 60, 40)
HORIZONTAL_FOV_RAD = 1.396


def settings(width: int = 320, height: int = 240) -> CameraSettings:
    camera = load_config().curiosity.rover.camera
    return camera.model_copy(update={'width': width, 'height': height})


def blue_rock(x: float, y: float) -> Rock:
    return Rock(x=x, y=y, radius=0.6, height=0.8, colour=BLUE, shape_seed=5)


@pytest.fixture(scope='module')
def empty() -> Camera:
    return Camera(settings(), World(seed=7, rocks=()))


def look(camera: Camera, base: Pose2D, pan: float = -0.5, tilt: float = 0.0) -> np.ndarray:
    mast = Mast()
    mast.positions[PAN], mast.positions[TILT] = pan, tilt
    return camera.picture(camera_pose(base, mast), base)


def bluish(picture: np.ndarray) -> np.ndarray:
    blue, red = picture[..., 0].astype(int), picture[..., 2].astype(int)
    return blue > red + 25


def test_the_same_seed_gives_the_same_picture_and_another_seed_another_one() -> None:
    rover = load_config(None, ['rover.rocks=20']).curiosity.rover
    first = look(Camera(settings(), make_world(rover)), Pose2D())
    again = look(Camera(settings(), make_world(rover)), Pose2D())
    other_world = make_world(rover.model_copy(update={'seed': 8}))
    other = look(Camera(settings(), other_world), Pose2D())
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize('size', [(320, 240), (800, 800), (161, 123), (16, 16)])
def test_the_picture_has_the_size_asked_for(size: tuple[int, int]) -> None:
    width, height = size
    camera = Camera(settings(width, height), World(seed=7, rocks=(blue_rock(6.0, 0.0),)))
    for tilt in (0.0, 0.8, 1.57):
        picture = look(camera, Pose2D(), tilt=tilt)
        assert picture.shape == (height, width, 3)
        assert picture.dtype == np.uint8


@pytest.mark.parametrize(
    'change',
    [{'base': Pose2D(0.3, 0.0, 0.0)}, {'base': Pose2D(0.0, 0.3, 0.0)},
     {'base': Pose2D(0.0, 0.0, 0.1)}, {'pan': -0.4}, {'tilt': 0.2}],
    ids=['x', 'y', 'yaw', 'pan', 'tilt'],
)  # fmt: skip
def test_whatever_moves_changes_the_picture(empty: Camera, change: dict[str, Any]) -> None:
    still = look(empty, Pose2D()).astype(int)
    moved = look(empty, **{'base': Pose2D(), **change}).astype(int)
    assert np.abs(still - moved).mean() > 2.0


def test_sky_is_above_the_ground(empty: Camera) -> None:
    picture = look(empty, Pose2D()).astype(int)
    lens = Lens(320, 240, HORIZONTAL_FOV_RAD)
    horizon = round(lens.centre[1] - lens.focal * math.tan(0.12))
    above, below = picture[: horizon - 20], picture[horizon + 20 :]
    # The sky is smooth, the ground is rough.
    assert np.abs(np.diff(above, axis=1)).mean() < 0.25 * np.abs(np.diff(below, axis=1)).mean()


@pytest.mark.parametrize(('x', 'y'), [(6.0, 0.5), (7.0, 2.5), (9.0, -1.5), (20.0, 3.0)])
@pytest.mark.parametrize('base', [Pose2D(), Pose2D(1.5, 0.4, 0.3)])
def test_a_rock_appears_where_it_is_projected(x: float, y: float, base: Pose2D) -> None:
    rock = blue_rock(x, y)
    camera = Camera(settings(), World(seed=7, rocks=(rock,)))
    mast = Mast()
    mast.positions[PAN] = -0.5
    pose = camera_pose(base, mast)
    eye = Eye(camera.lens, pose)
    seen = eye.see(np.array([rock.x, rock.y, rock.height / 2.0]))
    column, row = eye.project(seen)
    rows, columns = np.nonzero(bluish(camera.picture(pose, base)))
    reach = rock.radius / seen[2] * camera.lens.focal
    assert len(rows) > 0
    assert columns.mean() == pytest.approx(column, abs=0.5 * reach + 1.0)
    assert rows.mean() == pytest.approx(row, abs=0.5 * reach + 1.0)
    assert abs(columns - column).max() <= reach * 1.15 + 1.5


def test_left_is_left_and_panning_to_the_left_moves_things_to_the_right() -> None:
    camera = Camera(settings(), World(seed=7, rocks=(blue_rock(8.0, 2.0),)))
    ahead = np.nonzero(bluish(look(camera, Pose2D(), pan=-0.5)))[1].mean()
    turned = np.nonzero(bluish(look(camera, Pose2D(), pan=0.0)))[1].mean()
    assert ahead < 160 < turned


def test_driving_ahead_makes_a_rock_larger() -> None:
    camera = Camera(settings(), World(seed=7, rocks=(blue_rock(10.0, 0.0),)))
    sizes = [bluish(look(camera, Pose2D(x, 0.0, 0.0))).sum() for x in (0.0, 2.0, 4.0, 6.0)]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 3 * sizes[0]


def test_the_ground_stays_where_it_is_when_the_rover_moves() -> None:
    camera = Camera(settings(640, 480), World(seed=7, rocks=()))
    rng = np.random.default_rng(0)
    points = np.column_stack(
        [rng.uniform(5.0, 9.0, 300), rng.uniform(-2.0, 2.0, 300), np.zeros(300)]
    )
    brightness = []
    for base, pan in ((Pose2D(), -0.5), (Pose2D(1.0, 0.3, 0.1), -0.6)):
        mast = Mast()
        mast.positions[PAN] = pan
        pose = camera_pose(base, mast)
        eye = Eye(camera.lens, pose)
        columns, rows = np.rint(eye.project(eye.see(points))).astype(int).T
        grey = camera.picture(pose, base).mean(axis=2)
        patches = [
            grey[r - 1 : r + 2, c - 1 : c + 2].mean() for r, c in zip(rows, columns, strict=True)
        ]
        brightness.append(patches)
    assert np.corrcoef(brightness[0], brightness[1])[0, 1] > 0.7
    shuffled = rng.permutation(brightness[1])
    assert abs(np.corrcoef(brightness[0], shuffled)[0, 1]) < 0.3


def test_a_rock_that_the_camera_stands_in_does_no_harm() -> None:
    mast = Mast()
    pose = camera_pose(Pose2D(), mast)
    rock = Rock(x=pose.x, y=pose.y, radius=2.0, height=3.0, colour=BLUE, shape_seed=5)
    camera = Camera(settings(), World(seed=7, rocks=(rock,)))
    assert camera.picture(pose, Pose2D()).shape == (240, 320, 3)


def test_looking_back_shows_the_rover_itself(empty: Camera) -> None:
    ahead = look(empty, Pose2D(), pan=-0.5).astype(int)
    back = look(empty, Pose2D(), pan=-math.pi - 0.5).astype(int)
    grey = [np.abs(picture[120:, :, 0] - picture[120:, :, 2]) < 25 for picture in (ahead, back)]
    assert grey[1].mean() > grey[0].mean() + 0.05


@given(
    st.floats(-math.pi, math.pi), st.floats(0.0, 1.57), st.floats(-0.3, 0.3), st.floats(-0.3, 0.3)
)
def test_whenever_a_part_of_the_rover_may_be_seen_its_outline_may(
    pan: float, tilt: float, roll: float, pitch: float
) -> None:
    mast, base, attitude = Mast(), Pose2D(3.0, -2.0, 0.8), Attitude(0.4, roll, pitch)
    mast.positions[PAN], mast.positions[TILT] = pan, tilt
    eye = Eye(Lens(320, 240, HORIZONTAL_FOV_RAD), camera_pose(base, mast, attitude))
    body = body_faces()
    parts = may_be_seen(eye, eye.see(placed(body, base, attitude).corners))
    whole = may_be_seen(eye, eye.see(to_odom(outline(body), base, attitude))[None])
    assert whole.any() or not parts.any()


def test_ahead_nothing_of_the_rover_is_seen_and_nothing_of_it_is_reckoned() -> None:
    mast, base = Mast(), Pose2D()
    mast.positions[PAN] = -0.5
    eye = Eye(Lens(320, 240, HORIZONTAL_FOV_RAD), camera_pose(base, mast))
    assert not may_be_seen(eye, eye.see(outline(body_faces()))[None]).any()


def test_the_faces_drawn_are_those_that_look_towards_the_eye() -> None:
    rocks = (blue_rock(6.0, 0.5), blue_rock(7.0, -1.5), blue_rock(-9.0, 0.0))
    world = World(seed=7, rocks=rocks)
    pose = CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.1)
    shown, _ = RockField(world).visible(Eye(Lens(320, 240, HORIZONTAL_FOV_RAD), pose), Plain(2.1))
    all_faces = rock_faces(rocks[:2], world.sun, bgr(world.look.dust), 2)
    towards = np.array([pose.x, pose.y, pose.z]) - all_faces.corners[:, 0]
    front = all_faces.corners[(all_faces.normals * towards).sum(axis=1) > 0.0]
    assert np.array_equal(shown.corners, front)


def test_an_open_mast_looks_ahead_from_its_height() -> None:
    mast = Mast()
    mast.positions[PAN] = -0.5
    head = head_pose(mast)
    assert head.z == pytest.approx(HEAD_HEIGHT_M)
    assert head.yaw == pytest.approx(0.0, abs=0.03)


def test_a_closed_mast_is_low_and_looks_down() -> None:
    mast = Mast()
    mast.positions[TILT], mast.positions[PAN] = 1.57, -1.57
    head = head_pose(mast)
    assert head.z < HEAD_HEIGHT_M - 0.7
    assert head.down > 0.9


def test_projection_and_axes() -> None:
    pose = CameraPose(x=0.0, y=0.0, z=2.0, yaw=0.0, down=0.0)
    eye = Eye(Lens(101, 101, math.pi / 2.0), pose)
    assert eye.project(eye.see(np.array([5.0, 0.0, 2.0]))) == pytest.approx((50.0, 50.0))
    column, row = eye.project(eye.see(np.array([5.0, 5.0, 2.0])))
    assert (column, row) == pytest.approx((-0.5, 50.0))
    _, lower = eye.project(eye.see(np.array([5.0, 0.0, 0.0])))
    assert lower > 50.0
    nodding = Eye(eye.lens, replace(pose, down=math.atan2(2.0, 5.0)))
    assert nodding.project(nodding.see(np.array([5.0, 0.0, 0.0]))) == pytest.approx((50.0, 50.0))


def test_a_shadow_falls_away_from_the_sun_where_it_is_projected() -> None:
    rock = Rock(x=9.0, y=0.0, radius=0.5, height=1.6, colour=BLUE, shape_seed=5)
    sun = SunSettings(azimuth_rad=1.2, elevation_rad=0.6)
    mast = Mast()
    mast.positions[PAN] = -0.5
    pose = camera_pose(Pose2D(), mast)
    bare, shaded = (
        Camera(settings(), World(seed=7, rocks=rocks, sun=sun)) for rocks in ((), (rock,))
    )
    before, after = (
        camera.picture(pose, Pose2D()).astype(int).mean(axis=2) for camera in (bare, shaded)
    )
    east, north, up = sun.direction
    eye = Eye(bare.lens, pose)

    def change(height: float, side: float) -> float:
        """How much darker the ground became where the light past this height falls."""
        reach = side * height / up
        place = np.array([rock.x - east * reach, rock.y - north * reach, 0.0])
        column, row = np.rint(eye.project(eye.see(place))).astype(int)
        patch = np.s_[row - 1 : row + 2, column - 1 : column + 2]
        return float(after[patch].mean() / before[patch].mean())

    assert change(1.0, 1.0) < 0.75
    assert change(2.6, 1.0) == pytest.approx(1.0, abs=0.1)
    assert change(1.6, -1.0) == pytest.approx(1.0, abs=0.1)


def test_soft_sand_is_pale_and_greyish_where_it_lies() -> None:
    soft = Feature(name='Sand', kind='sand', x=9.0, y=0.0, size_m=2.0, slip=0.6)
    pose = CameraPose(0.0, 0.0, 2.1, yaw=0.0, down=0.12)
    bare, sandy = (
        Camera(settings(), World(seed=7, rocks=(), features=features)).picture(pose, Pose2D())
        for features in ((), (soft,))
    )
    eye = Eye(Lens(320, 240, HORIZONTAL_FOV_RAD), pose)

    def bluer(x: float, y: float) -> float:
        column, row = np.rint(eye.project(eye.see(np.array([x, y, 0.0])))).astype(int)
        patch = np.s_[row - 4 : row + 5, column - 12 : column + 13]
        return float(sandy[patch][..., 0].mean() / bare[patch][..., 0].mean())

    assert bluer(9.0, 0.0) > 1.2
    assert bluer(9.0, 3.5) == pytest.approx(1.0, abs=0.03)
    assert bluer(5.0, 0.0) == pytest.approx(1.0, abs=0.03)


def test_a_world_is_looked_at_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'start.jpg'
    size = ['--set', 'rover.camera.width=160', '--set', 'rover.camera.height=120']
    assert main([str(file), *size]) == 0
    assert decode(file.read_bytes()).shape == (120, 160, 3)
    assert main([str(file), '--set', 'rover.world=moon']) == 2
    assert main([str(tmp_path / 'no' / 'start.jpg'), *size]) == 2
    assert 'no such world' in (said := capsys.readouterr().err)
    assert 'cannot be written (No such file or directory).' in said


def test_the_demos_camera_is_the_default() -> None:
    camera = load_config().curiosity.rover.camera
    assert (camera.width, camera.height, camera.rate_hz) == (800, 800, 10.0)
    assert camera.horizontal_fov_rad == HORIZONTAL_FOV_RAD


CELLS = 16  # in a row, all over the tile


def focal(width: int) -> float:
    """Of a camera of so many pixels that sees as wide as Curiosity's here, in pixels."""
    return float(width / 2.0 / np.tan(0.698))


@pytest.mark.parametrize(('width', 'halvings'), [(4000, 0), (800, 0), (320, 1), (160, 2), (4, 4)])
def test_a_camera_of_few_pixels_gets_a_coarser_texture(width: int, halvings: int) -> None:
    assert halvings_for(focal(width)) == halvings


@pytest.mark.parametrize('width', [320, 200, 160, 80])
def test_near_by_no_texel_is_larger_than_what_a_pixel_covers(width: int) -> None:
    ground = make_ground(7, SUN, LOOK, halvings_for(focal(width)))
    assert 1.0 / ground.texels_per_m <= NEAR_M / focal(width)


@pytest.mark.slow
@pytest.mark.parametrize('halvings', [1, 4])
def test_the_tone_of_the_ground_does_not_depend_on_how_fine_it_is(
    kept_ground: Callable[..., Ground], halvings: int
) -> None:
    fine, coarse = (kept_ground(7, SUN, LOOK, each) for each in (0, halvings))
    assert coarse.texture.levels == fine.texture.levels - halvings
    assert coarse.texels_per_m == fine.texels_per_m / 2**halvings
    columns, rows = np.meshgrid(*[np.linspace(0.0, 1.0, CELLS, dtype=np.float32)] * 2)
    tones = []
    for each in (fine, coarse):
        coarsest = np.full((CELLS - 2, CELLS), each.texture.levels - 1, np.intp)
        tones.append(each.texture.sample(columns, rows, coarsest)[..., :3].mean(axis=(0, 1)))
    assert tones[1] == pytest.approx(tones[0], rel=0.05)
