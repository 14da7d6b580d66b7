"""One file describes a robot: what it leaves out, what it extends, and hostile files."""

from __future__ import annotations

import os
from pathlib import Path
import re

import pytest

from rover_common.config.load import load_config
from rover_common.config.robot_file import LARGEST_FILE, default_folder, has_own_section
from rover_common.errors import ConfigError

LAMP = """
robot: desk_lamp
tools:
  lamp: { service: { name: /lamp, type: std_srvs/srv/SetBool }, args: { lit: data } }
"""


def robot(folder: Path, text: str, name: str = 'robot.yaml') -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding='utf-8')
    return path


def fault(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    (line,) = str(caught.value).splitlines()
    return line


def test_one_file_is_a_robot(tmp_path: Path) -> None:
    path = robot(tmp_path, LAMP, 'desk.yaml')
    config = load_config(path)
    assert config.robot.name == 'desk_lamp'
    assert config.robot.tools['lamp'].args_schema == {
        'type': 'object',
        'properties': {'lit': {}},
        'required': ['lit'],
        'additionalProperties': False,
    }
    assert {'finish', 'abort', 'ask_operator'} < set(config.robot.tools)
    assert config.executive.goal == load_config().executive.goal
    assert not has_own_section(path, 'curiosity')


def test_a_file_of_another_name_does_not_read_what_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / 'topics.yaml').write_text('nonsense: 1')
    assert load_config(robot(tmp_path, LAMP, 'desk.yaml')).robot.name == 'desk_lamp'
    assert "topics.yaml: unknown key 'nonsense'" in fault(robot(tmp_path, LAMP).parent)


def test_what_is_extended_is_changed_key_by_key_and_removed_by_null(tmp_path: Path) -> None:
    text = (
        'extends: curiosity\n'
        'tools: { look: { timeout_s: 5.0 }, watch: null }\n'
        'executive: { goal: { max_wall_s: 60.0 } }\n'
        'tool_costs: { tools: { look: 9, watch: 1 } }\n'
    )
    config, shipped = load_config(robot(tmp_path, text)), load_config()
    assert config.robot.tools['look'].timeout_s == 5.0
    assert config.robot.tools['look'].action == shipped.robot.tools['look'].action
    assert 'watch' not in config.robot.tools
    assert config.executive.goal.max_wall_s == 60.0
    assert config.executive.guards == shipped.executive.guards
    assert has_own_section(tmp_path, 'curiosity')


def test_a_robot_extends_a_file_beside_it(tmp_path: Path) -> None:
    robot(tmp_path, LAMP, 'base/robot.yaml')
    path = robot(tmp_path, 'extends: ../base\nrobot: second', 'second/robot.yaml')
    config = load_config(path)
    assert (config.robot.name, 'lamp' in config.robot.tools) == ('second', True)


@pytest.mark.parametrize('name', ['skills.yaml', 'curiosity.yaml'])
def test_a_file_named_the_old_way_gets_a_sentence(tmp_path: Path, name: str) -> None:
    robot(tmp_path, LAMP)
    robot(tmp_path, 'skills: {}', name)
    assert re.search(rf'{name}: .* stand in robot\.yaml now: move them', fault(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('[]', 'a mapping of keys is expected at the top, found list'),
        ('robot: [x]', "'robot' is ['x']"),
        ('robot: "a; rm -rf /"', "'robot' is 'a; rm -rf /'"),
        ('name: x', "unknown key 'name'; did you mean 'robot'?"),
        ('skills: {}', "unknown key 'skills'"),
        ('tools: 3', "'tools' is 3"),
        ('tools: [a]', "'tools' is ['a']"),
        ('tools: { "$(reboot)": {} }', "'tools.$(reboot)"),
        ('tools: { a: 1 }', "'tools.a' is 1"),
        ('tools: { a: { service: "`x`", type: 1 } }', "unknown key 'tools.a.type'"),
        ('tools: { a: { service: { name: "/a b", type: std_srvs/srv/Trigger } } }', "is '/a b'"),
        ('tools: { a: { service: { name: /a, type: ../../etc } } }', "is '../../etc'"),
        ('tools: { a: { service: x.y, action: z.w } }', 'it has a service and an action'),
        ('tools: { a: { args: { x: 3 } } }', "'tools.a.args.x' is 3"),
        ('tools: { a: { args: { x: "a;b" } } }', "'tools.a.args.x' is 'a;b'"),
        ('frames: map', "'frames' is 'map': write"),
        ('executive: 3', "'executive' is 3"),
        ('curiosity: { rover: { world: /etc/passwd } }', 'there is no such world'),
        ('extends: /etc', "'extends' is '/etc': write the name of a shipped robot"),
        (
            'extends: curiosty',
            'write the name of a shipped robot (curiosity, any_robot, moveit_arm, nav2, '
            'pyrobosim, turtlebot)',
        ),
        ('extends: [a]', "'extends' is \"['a']\""),
        ('extends: ./nowhere', 'does not exist'),
        ('extends: ./robot.yaml', 'it extends itself'),
        ('a: &a [*a, *a]', 'not valid YAML'),
        ('!!python/object/apply:os.system ["true"]', 'not valid YAML'),
        (
            'a: &a [x,x,x,x,x,x,x,x,x,x]\n'
            + '\n'.join(
                f'{chr(98 + n)}: &{chr(98 + n)} [{",".join([f"*{chr(97 + n)}"] * 10)}]'
                for n in range(9)
            ),
            'aliases make it too large',
        ),
        ('{' * 5000, 'not valid YAML'),
        ('resources: [' + 'a,' * 70_000 + ']', 'it has more than 60000 values'),
        ('<<: &x { <<: *x }', 'aliases make it too large'),
        ('<<: [1, 2]', 'expected a mapping for merging'),
        ('tools: &t { a: { args: *t } }', 'aliases make it too large'),
        ('tools: { a: {}, a: {} }', "key 'a' occurs twice"),
        ('"robot": a\n\'robot\': b', "key 'robot' occurs twice"),
        ('robot: a\n---\nrobot: b', 'but found another document'),
        ('1: 2', 'key 1 is no text: write it in quotes'),
        ('? [a, b]\n: 1', 'a key must be a text'),
        ('', 'found NoneType'),
        ('robot: !!binary aGk=', 'could not determine a constructor'),
        ('robot: "\\ud800"', "'robot' is '\\ud800'"),
        ('robot: Ａ', "'robot' is 'Ａ'"),
        (f'robot: {"1" * 400}', 'should have at most 64 characters'),
        ('state: { x: { topic: /a, field: d, max_age_s: .nan } }', "'state.x.max_age_s' is nan"),
        ('state: { x: { topic: /a, field: d, max_age_s: 1e999 } }', "'state.x.max_age_s' is inf"),
        ('state: { x: { topic: /a, field: d, scale: -.inf } }', "'state.x.scale' is -inf"),
        ('state: { x: { topic: /../a, field: d } }', "'state.x.topic' is '/../a': write a name"),
        ('state: { x: { topic: /а, field: d } }', "'state.x.topic' is '/а': write a name of ROS"),
        ('state: { x: { topic: "/$(id)", field: d } }', "is '/$(id)': write a name of ROS"),
        (f'state: {{ x: {{ topic: /{"a" * 300}, field: d }} }}', 'with 200 characters at most'),
        ('state: { x: { topic: /a, field: __class__.mro } }', "'__class__.mro' is no path"),
        ('state: { x: { topic: /a, field: "d[99999999999]" } }', "'d[99999999999]' is no path"),
        ('state: { "x\\u202e": number }', "'state.x\\u202e'"),
        ('guards: { g: { where: { x: { at_least: .nan } }, reason: r } }', 'at_least'),
        ('gates: [base]', "'gates' is ['base']: write keys with values"),
        ('gates: { a: { action: /a, velocity: { in: /x, out: /y } } }', 'write two gates'),
        ('gates: { b: { velocity: { in: /x/, out: /y }, odom: /o } }', "'gates.b.velocity.in'"),
        ('gates: { b: null }\ntools: { d: { gate: b } }', "tools.d: it has the gate 'b', which"),
        ('tools: { d: { gate: bаse } }', "the gate 'b\\u0430se', which is not among"),
        ('tools: { a: { timeout_s: .inf } }', "'tools.a.timeout_s' is inf: write a finite number"),
        ('tools: { a: { sequence: [b] }, b: { sequence: [a] } }', 'would call itself'),
        ('tools: { a: { retry: { times: 1e9, do: b } } }', 'write a number from 1 to 10'),
        ('frames: { world: "", base: b }', "'frames.world' is ''"),
        ('frames: { world: null, base: b }', "'frames.world' is None: write a text"),
        ('prompts: { robot_system_prompts: 3 }', 'write keys with values'),
        ('tool_costs: { tools: { a: -5 } }', "'tool_costs.tools.a' is -5"),
        ('extends: "~/x"', 'or a path that begins with ./ or ../'),
        ('robot: x\0y', 'special characters are not allowed'),
        ('executive: { tick: { heartbeat_s: 1e-300 } }', "'executive.tick.heartbeat_s' is 1e-300"),
        (
            'tools:\n' + ''.join(f'  c{n}: {{ sequence: [c{n + 1}] }}\n' for n in range(500)),
            'c0: more than 8 composites stand within each other',
        ),
        ('x: ' + 'y' * LARGEST_FILE, 'too large for a configuration'),
    ],
)
def test_a_hostile_file_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    words = fault(robot(tmp_path, text))
    assert sentence in words
    assert len(words) < 600


def test_a_circle_of_robots_is_named(tmp_path: Path) -> None:
    robot(tmp_path, 'extends: ../b', 'a/robot.yaml')
    robot(tmp_path, 'extends: ../a', 'b/robot.yaml')
    assert 'it extends itself, by way of ' in fault(tmp_path / 'a')


@pytest.mark.parametrize('extends', ['', 'extends: ./loop.yaml'])
def test_a_link_to_itself_cannot_be_read(tmp_path: Path, extends: str) -> None:
    loop = tmp_path / 'loop.yaml'
    loop.symlink_to(loop.name)
    if extends:
        robot(tmp_path, extends)
    assert f'{loop}: ' in fault(tmp_path if extends else loop)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / 'robot.yaml'
    os.mkfifo(pipe)
    assert 'no file: name a robot.yaml or its folder' in fault(pipe)
    assert 'no file' in fault(Path('/dev/zero'))


@pytest.mark.parametrize('name', ['nav2', 'any_robot', 'pyrobosim', 'moveit_arm'])
def test_the_shipped_robots_load(name: str) -> None:
    assert load_config(default_folder() / 'robots' / name).robot.tools
