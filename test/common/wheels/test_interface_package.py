"""Interface packages of others: what is read of them, and what is refused with file and line."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

from papers import ROOT
import pytest

from rover_common.errors import UsageError
from rover_common.wheels.compile_order import levels, package_below, packages_at
from rover_common.wheels.interface_package import read_package, version_of, write_project
from rover_common.wheels.interfaces_installed_and_on_pypi import is_added, name_refusal

MANIFEST = (
    '<package><name>{name}</name><version>1.2.3</version><license>A &amp; B</license></package>'
)
SHIPPED = ROOT / 'interfaces' / 'pip_only' / 'vision_msgs'


def write_package(folder: Path, **files: str) -> Path:
    """Writes a package; `msg_State='…'` is the text of msg/State.msg."""
    folder.mkdir(parents=True)
    (folder / 'package.xml').write_text(MANIFEST.format(name=folder.name))
    for key, text in files.items():
        kind, _, name = key.partition('_')
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f'{name}.{kind}').write_text(text)
    return folder


@pytest.mark.parametrize(
    ('files', 'words'),
    [
        ({'msg_State': 'float64 x\nfloat64\n'}, "State.msg:2: 'float64' cannot be read"),
        ({'msg_State': 'string<=0 x\n'}, "State.msg:1: 'string<=0 x' cannot be read"),
        ({'msg_State': 'int8 x 300\n'}, "State.msg:1: 'int8 x 300' cannot be read"),
        ({'msg_State': '# a\n\nint8 X\n'}, "State.msg:3: 'int8 X' cannot be read"),
        ({'msg_State': 'int8 x\nint8 x\n'}, 'State.msg:1-2 cannot be read (ValueError: the'),
        ({'msg_State': 'time stamp\n'}, "State.msg:1: the type 'time' is of ROS 1"),
        ({'msg_state': 'int8 x\n'}, 'state.msg: an interface has a name in CamelCase'),
        ({'srv_Go': 'int8 x\n'}, "Go.srv has 0 lines '---': a .srv file has 1"),
        ({'action_Go': '---\nint8 x\n'}, "Go.action has 1 lines '---': a .action file has 2"),
        ({'action_Go': '---\n---\nint8 x y z=\n'}, 'Go.action:3: '),
        ({}, 'has no interfaces: nothing in msg/, srv/ or action/'),
    ],
)
def test_a_fault_is_said_with_file_and_line(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    with pytest.raises(UsageError) as error:
        read_package(write_package(tmp_path / 'yard_msgs', **files))
    assert words in str(error.value)
    assert '\n' not in str(error.value)


@pytest.mark.parametrize(
    ('manifest', 'words'),
    [
        ('<package', 'package.xml is no XML: '),
        (MANIFEST.format(name='../bad'), "name is '../bad', which no ROS package can have"),
        (MANIFEST.format(name='x').replace('1.2.3', '1'), "version is '1': write three numbers"),
        (
            MANIFEST.format(name='x').replace(
                '</package>', '<buildtool_depend>catkin</buildtool_depend></package>'
            ),
            'x is a package of ROS 1 (catkin)',
        ),
    ],
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, manifest: str, words: str) -> None:
    folder = write_package(tmp_path / 'x', msg_State='int8 x\n')
    (folder / 'package.xml').write_text(manifest)
    with pytest.raises(UsageError) as error:
        read_package(folder)
    assert words in str(error.value)


def test_a_package_comes_after_those_beside_it_that_it_uses(tmp_path: Path) -> None:
    first = write_package(tmp_path / 'a_msgs', srv_Go='b_msgs/State[] x\n---\nstd_msgs/Header h\n')
    write_package(tmp_path / 'src' / 'b_msgs', msg_State='Part part\n', msg_Part='int8 x\n')
    write_package(tmp_path / 'c_msgs', msg_Other='int8 x\n')

    def is_installed(type_name: str) -> bool:
        return type_name == 'std_msgs/msg/Header'

    ordered = levels([first], is_installed)
    assert [[each.name for each in level] for level in ordered] == [['b_msgs'], ['a_msgs']]
    assert ordered[1][0].needs == ['b_msgs', 'std_msgs']
    assert package_below(tmp_path, 'b_msgs') == tmp_path / 'src' / 'b_msgs'
    assert len(packages_at(tmp_path)) == 3
    assert packages_at(first) == [first]


def test_only_what_some_interfaces_consist_of_is_compiled(tmp_path: Path) -> None:
    a = write_package(
        tmp_path / 'a_msgs',
        action_Go='State x\n---\n---\nb_msgs/Part[] y\n',
        srv_Ask='gone_msgs/Gone x\n---\n',
        msg_State='std_msgs/Header h\nInner inner\n',
        msg_Inner='int8 x\n',
        msg_Other='int8 x\n',
    )
    write_package(tmp_path / 'b_msgs', msg_Part='int8 x\n', msg_Whole='Part x\n')
    write_package(tmp_path / 'c_msgs', msg_Alone='int8 x\n')

    def parts(*only: str) -> list[list[tuple[str, list[str]]]]:
        ordered = levels(packages_at(tmp_path), lambda name: name.startswith('std_'), only)
        return [[(each.name, [*map(str, each.files)]) for each in level] for level in ordered]

    assert parts('a_msgs/action/Go') == [
        [('b_msgs', ['msg/Part.msg'])],
        [('a_msgs', ['action/Go.action', 'msg/Inner.msg', 'msg/State.msg'])],
    ]
    assert parts('b_msgs/msg/Whole', 'c_msgs/msg/Alone') == [
        [('b_msgs', ['msg/Part.msg', 'msg/Whole.msg']), ('c_msgs', ['msg/Alone.msg'])]
    ]
    with pytest.raises(UsageError, match='gone_msgs/Gone is neither installed nor'):
        parts('a_msgs/srv/Ask')
    with pytest.raises(UsageError, match='did you mean a_msgs/action/Go'):
        parts('a_msgs/srv/Go')
    whole, needs = read_package(a), {'std_msgs': '1'}
    part = whole.part({Path('msg/Other.msg')})
    assert version_of(part, needs) != version_of(whole, needs), 'the cache keeps them apart'


@pytest.mark.parametrize(
    ('used', 'words'),
    [
        ('gone_msgs/State', 'a.srv:1'),
        ('gone_msgs/State', '`bt-executive interfaces add gone_msgs`'),
        ('Gone', 'a_msgs has no message Gone'),
        ('b_msgs/Gone', 'b_msgs has no message Gone'),
        ('b_msgs/State', 'a_msgs, b_msgs need each other'),
    ],
)
def test_a_type_that_is_nowhere_is_refused(tmp_path: Path, used: str, words: str) -> None:
    first = write_package(
        tmp_path / 'a_msgs', srv_Go=f'{used} x\n---\nb_msgs/State y\n', msg_State='int8 x\n'
    )
    write_package(tmp_path / 'b_msgs', msg_State='a_msgs/State x\n')
    with pytest.raises(UsageError) as error:
        levels([first], lambda _: False)
    assert words.replace('a.srv', str(first / 'srv' / 'Go.srv')) in str(error.value)


def test_another_content_or_other_content_beneath_is_another_version(tmp_path: Path) -> None:
    folder = write_package(tmp_path / 'yard_msgs', msg_State='std_msgs/Header header\n')
    needs = {'std_msgs': 'ros-std-msgs==5.3.6'}
    version = version_of(read_package(folder), needs)
    assert version.startswith('1.2.3+bt.x')
    assert version_of(read_package(folder), {'std_msgs': 'ros-std-msgs==5.3.7'}) != version
    (folder / 'msg' / 'State.msg').write_text('std_msgs/Header head\n')
    assert version_of(read_package(folder), needs) != version


def test_a_package_of_others_is_compiled_as_ours_are(tmp_path: Path) -> None:
    """The project that is written has the build file of a package that `make` compiles."""
    into = tmp_path / 'interfaces' / 'vision_msgs'
    needs = {'geometry_msgs': 'ros-geometry-msgs==5.3.6', 'std_msgs': 'ros-std-msgs==5.3.6'}
    write_project(read_package(SHIPPED), needs, '4.1.1+bt.x1', into)
    ours = (SHIPPED / 'CMakeLists.txt').read_text().replace('/../../cmake', '/../cmake')
    assert (into / 'CMakeLists.txt').read_text() == ours
    assert [path.name for path in sorted((into / 'msg').iterdir())] == [
        path.name for path in sorted((SHIPPED / 'msg').iterdir())
    ]
    pyproject = (into / 'pyproject.toml').read_text()
    assert 'dependencies = ["ros-geometry-msgs==5.3.6", "ros-std-msgs==5.3.6"]' in pyproject


@pytest.mark.parametrize(
    'name', ['tf2_msgs', 'vision_msgs', 'std_msgs', 'rclpy', 'json', 'gates', 'lifecycle_msgs']
)
def test_no_package_of_others_has_the_name_of_one_that_is_here(name: str) -> None:
    assert name_refusal(name)


def test_a_new_name_is_free() -> None:
    assert not name_refusal('yard_bot_msgs')
    assert not is_added(distribution('py_trees'))
