"""Every fault of the configuration: one clear sentence with file and key, and no traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest
from same_configuration import content_of
import yaml

from rover_common.config import load
from rover_common.config.dotted_keys import parse_override, text_override
from rover_common.config.load import cache_config, load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import VelocityGateSettings
from rover_common.config.yaml_text import SlowLoader
from rover_common.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped configuration that a test may break."""
    return Path(shutil.copytree(default_folder(), tmp_path / 'config'))


def edit(path: Path, change: Callable[[Any], object]) -> None:
    content = yaml.safe_load(path.read_text(encoding='utf-8'))
    change(content)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding='utf-8')


def fault(folder: Path | None, *overrides: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(folder, overrides)
    return str(caught.value)


def test_the_shipped_configuration_loads() -> None:
    config = load_config()
    assert config.executive.variant == 'B'
    assert config.thresholds.light_model.x_good == 5.0


@pytest.mark.slow
def test_a_run_has_one_configuration_whatever_is_written_meanwhile(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, '_kept', {})
    kept = cache_config(folder, ['variant=A'])
    edit(folder / 'executive.yaml', lambda c: c['tick'].update(period_s=0.07))
    assert load_config(folder, ['variant=A']) is kept
    assert cache_config(folder, iter(['variant=A'])) is kept
    assert load_config(folder).executive.tick.period_s == 0.07
    assert load_config(None, ['variant=A']) is not kept


def test_a_missing_file_is_named(folder: Any) -> None:
    (folder / 'robot.yaml').unlink()
    assert 'robot.yaml: file is missing' in fault(folder)


@pytest.mark.parametrize('name', ['executive', 'thresholds', 'vision'])
def test_what_is_left_out_is_as_shipped(folder: Any, name: str) -> None:
    (folder / f'{name}.yaml').unlink()
    assert content_of(load_config(folder)) == content_of(load_config())


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f'{str(tmp_path / "no")!r} does not exist: check --config' in fault(tmp_path / 'no')


@pytest.mark.parametrize(
    ('file', 'change', 'words'),
    [
        (
            'thresholds',
            lambda c: c['light_model'].update(x_god=5.0),
            "unknown key 'light_model.x_god'; did you mean 'light_model.x_good'?",
        ),
        ('topics', lambda c: c.update(lidar={}), "unknown key 'lidar'"),
        (
            'topics',
            lambda c: c['adapter']['get_status'].pop('type'),
            "key 'adapter.get_status.type' is missing",
        ),
    ],
)
@pytest.mark.slow
def test_a_fault_of_a_key_is_named_with_its_file(
    folder: Path, file: str, change: Callable[[Any], object], words: str
) -> None:
    edit(folder / f'{file}.yaml', change)
    assert f'{file}.yaml: {words}' in fault(folder)


@pytest.mark.parametrize(
    'name', ['../../outside', '/etc/passwd', '..', '.hidden', 'a\\b', 'a\nb', '', 'x' * 201]
)
def test_a_world_whose_name_is_no_file_name_is_refused(folder: Any, name: str) -> None:
    edit(folder / 'worlds' / 'dunes.yaml', lambda c: c.update(name=name))
    words = fault(folder, 'rover.world=dunes')
    assert "dunes.yaml: 'rover.world.name' is" in words
    assert 'write it without slashes' in words or 'give it 1 to 200 bytes' in words


@pytest.mark.parametrize('value', ['null', '[dunes]'])
def test_what_names_no_world_is_refused_with_where_it_comes_from(folder: Path, value: str) -> None:
    expected = 'write the name of a world, or the path of a file that ends in .yaml.'
    override = f'rover.world={value}'
    assert fault(folder, override).startswith(f"--set '{override}': 'rover.world' is ")
    assert fault(folder, override).endswith(expected)
    robot = folder / 'robot.yaml'
    edit(robot, lambda c: c['curiosity']['rover'].update(world=None))
    assert fault(folder) == f"{robot}: 'curiosity.rover.world' is None: {expected}"


def test_a_world_may_have_any_other_name(folder: Any) -> None:
    edit(folder / 'worlds' / 'dunes.yaml', lambda c: c.update(name='月の海 (2) a.b'))
    assert load_config(folder, ['rover.world=dunes']).curiosity.rover.world.name[0] == '月'


@pytest.mark.parametrize(
    ('overrides', 'zone'),
    [
        ([], (5.0, 10.0)),
        (['light_model.x_good=8'], (8.0, 13.0)),
        (['light_model.x_good=8', 'viz.bright_zone_x_min=2'], (2.0, 7.0)),
        (['light_model.x_good=12', 'viz.bright_zone_x_max=10'], (10.0, 12.0)),
    ],
)
def test_the_zone_that_is_shown_as_bright_follows_the_light(overrides: Any, zone: Any) -> None:
    assert load_config(None, overrides).thresholds.bright_zone() == zone


@pytest.mark.parametrize(
    ('file', 'section', 'key', 'value'),
    [
        ('thresholds', 'light_model', 'x_good', 'far'),
        ('thresholds', 'light_model', 'x_good', float('nan')),
        ('thresholds', 'quality', 'score_threshold', 1.5),
        ('thresholds', 'trace', 'buffer_size', 3.5),
        ('thresholds', 'trace', 'buffer_size', True),
        ('executive', 'tick', 'period_s', 0.0),
        ('executive', 'tick', 'period_s', '100 ms'),
        ('topics', 'images', 'input_compressed', '/image raw'),
        ('prompts', 'memory', 'enabled', 'yes please'),
    ],
)
def test_a_wrong_value_is_named_with_file_key_and_value(
    folder: Any, file: str, section: str, key: str, value: Any
) -> None:
    edit(folder / f'{file}.yaml', lambda content: content[section].update({key: value}))
    words = fault(folder)
    assert f'{file}.yaml' in words
    assert f"'{section}.{key}' is {value!r}" in words


@pytest.mark.slow
def test_a_zone_that_crosses_itself_is_named_before_anything_starts(folder: Any) -> None:
    bow = '[{name: bow, polygon: [[0, 0], [1, 1], [1, 0], [0, 1]]}]'
    words = fault(folder, f'keep_out={bow}')
    assert words == (
        f"--set 'keep_out={bow}': 'keep_out': zone 'bow' is not a simple polygon; give its "
        'corners in order.'
    )
    edit(folder / 'executive.yaml', lambda c: c.update(keep_out=yaml.safe_load(bow)))
    assert "executive.yaml: 'keep_out': zone 'bow'" in fault(folder)


@pytest.mark.slow
def test_several_faults_are_listed_together(folder: Any) -> None:
    edit(folder / 'thresholds.yaml', lambda c: c['quality'].update(score_threshold='high'))
    edit(folder / 'executive.yaml', lambda c: c.update(variant='C'))
    words = fault(folder).splitlines()
    assert any("'quality.score_threshold' is 'high'" in line for line in words)
    assert any("'variant' is 'C'" in line for line in words)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('light_model: {x_min: 0', 'thresholds.yaml:1:23: not valid YAML'),
        ('a: b: c\n', 'thresholds.yaml:1:5: not valid YAML'),
        ('- a\n- b\n', 'a mapping of keys is expected at the top, found list'),
        ('', 'a mapping of keys is expected at the top, found NoneType'),
        ('1: 2', 'thresholds.yaml'),
        ('a: \x00', 'thresholds.yaml: not valid YAML'),
        ('!!python/object/apply:os.system ["true"]', 'not valid YAML'),
    ],
)
def test_bad_yaml_is_named_with_file_and_place(folder: Any, text: str, words: str) -> None:
    (folder / 'thresholds.yaml').write_text(text)
    assert words in fault(folder)


def test_a_file_that_is_not_utf_8(folder: Any) -> None:
    (folder / 'prompts.yaml').write_bytes(b'label: \xff\xfe')
    assert 'prompts.yaml: not UTF-8 text' in fault(folder)


@pytest.mark.parametrize(
    ('override', 'words'),
    [
        ('variant', 'write it as dotted.key=value'),
        ('=3', 'write it as dotted.key=value'),
        ('light_model.x_god=3', "did you mean 'light_model.x_good'?"),
        ('rover.wordl=dunes', "did you mean 'rover.world'?"),
        ('nokey=3', "unknown key 'nokey'; the keys are those of "),
        ('rover.faults=camera_off', "is 'camera_off': write it as a list, like [a, b]."),
        ('light_model.x_good=[', "the value '[' is not valid YAML"),
        (
            'light_model.x_good=far',
            "--set 'light_model.x_good=far': 'light_model.x_good' is 'far'",
        ),
        ('variant=C', "--set 'variant=C': 'variant' is 'C'"),
        ('light_model.x_min=9.0', 'x_good (5.0) must be greater than x_min (9.0)'),
        (
            'tick.heartbeat_s=0.3',
            "'tick.heartbeat_s' is 0.3: it must be below deadman.timeout_s (0.3)",
        ),
        ('planner.price_per_million.input_usd=.inf', 'input_usd'),
        ('motion.keep_out_margin_m=.inf', 'finite'),
        ('guards.keep_out_margin_m=.inf', 'finite'),
        ('mast.tolerance_rad=.inf', 'finite'),
        ('navigation.timeout_factor=.inf', 'finite'),
        ('mast.tolerance_rad=0.8', 'open_tilt_rad (0.0) and closed_tilt_rad (1.57) must'),
        ('mast.tolerance_rad=0.8', 'tolerance_rad (0.8)'),
        (
            'navigation.scan.lowest_m=3.0',
            'lowest_m (3.0) must be below highest_m (3.0)',
        ),
    ],
)
def test_a_bad_override_is_named(override: str, words: str) -> None:
    assert words in fault(None, override)


def test_an_override_has_the_key_that_the_file_has() -> None:
    config = load_config(
        default_folder() / 'robots' / 'nav2',
        [
            *('robot=courier', 'frames.world=site', 'gates.base.velocity.in=/teleop'),
            'guards.calm={where: {a: 1}, not: {a: 2}, reason: "No"}',
            'guards.calm.not={a: 3}',
            'tools.navigate_to.set={behavior_tree: fast.xml}',
        ],
    )
    base, calm = config.robot.gates['base'], config.robot.guards['calm']
    assert isinstance(base, VelocityGateSettings)
    assert (config.robot.name, config.topics.tf.world_frame) == ('courier', 'site')
    assert (base.velocity.wanted, dict(calm.but_not)) == ('/teleop', {'a': (3,)})
    assert config.robot.tools['navigate_to'].constants == {'behavior_tree': 'fast.xml'}


@pytest.mark.parametrize('key', ['gates.base.velocity.wanted', 'guards.calm.but_not'])
def test_a_key_that_no_file_has_is_none_of_an_override(key: str) -> None:
    assert f'unknown key {key!r}' in fault(None, f'{key}=/x')


def test_a_fault_of_a_section_names_the_override_in_it(folder: Any) -> None:
    sentence = fault(folder, 'light_model.x_min=9.0')
    assert f"{folder / 'thresholds.yaml'}, --set 'light_model.x_min=9.0': " in sentence


def test_overrides_win_and_reach_every_file() -> None:
    config = load_config(
        overrides=['light_model.x_good=8', 'executive.variant=A', 'rover.start.x=-1.5']
    )
    assert config.thresholds.light_model.x_good == 8.0
    assert config.executive.variant == 'A'
    assert config.curiosity.rover.start.x == -1.5


@pytest.mark.parametrize(
    ('typed', 'text'),
    [
        ('', ''),
        ('  ', ''),
        ('@cf/meta/llama-3', '@cf/meta/llama-3'),
        ('#1', '#1'),
        ('*', '*'),
        ('%2F', '%2F'),
        ('!x', '!x'),
        ('4.1', '4.1'),
        ('"#quoted"', '#quoted'),
        ("''", ''),
        ("'it''s'", "it's"),
        (' run #2/vision ', 'run #2/vision'),
        ('a: b', 'a: b'),
        ('[a]', '[a]'),
        ('null', 'null'),
        ('Mu\u0308ller', 'Mu\u0308ller'),
    ],
)
def test_a_text_is_taken_as_it_is_typed(typed: str, text: str) -> None:
    planner = load_config(overrides=[f'planner.model={typed}']).executive.planner
    assert planner.model == text


@pytest.mark.parametrize(
    ('typed', 'target'), [('null', None), ('~', None), ('', ''), ('"null"', 'null'), ('~a', '~a')]
)
def test_a_text_that_may_be_null_can_be_set_so(typed: str, target: str | None) -> None:
    watch = load_config(overrides=[f'vision.watch.target={typed}']).vision.watch
    assert watch.target == target


@pytest.mark.parametrize('hidden', ['\u200d', '\udcff', '\x07'])
def test_a_text_with_a_sign_that_nobody_sees_is_refused(hidden: str) -> None:
    for override in (f'planner.model=a{hidden}b', text_override('planner.model', f'a{hidden}b')):
        assert ascii(hidden).strip("'") in fault(None, override)


@given(st.text())
def test_an_override_of_a_text_gives_this_very_text(text: str) -> None:
    assert text_override('planner.model', text).isascii()
    assert parse_override(text_override('planner.model', text))[1] == text


@pytest.mark.parametrize('typed', ['', '#', '*x', '@x'])
def test_only_a_text_is_taken_as_it_is_typed(typed: str) -> None:
    assert 'battery.low_pct' in fault(None, f'battery.low_pct={typed}')


# The examples of the requirement document, section 7, as they stand there.
THRESHOLDS = """\
light_model:
  x_min: 0.0
  x_good: 5.0         # ここ以降 score=1.0

quality:
  score_threshold: 0.8

trace:
  buffer_size: 30     # 直近N件（Visualizer/Memoryに利用）

viz:
  bright_zone_x_min: 5.0   # デフォルトは x_good と同値にする運用
  bright_zone_x_max: 10.0  # 表示用（シミュレーション上の無限をRVizで表せないため）
"""
TOPICS = """\
images:
  input_compressed: "/image_raw/compressed"
  output_capture_compressed: "/capture/image_raw/compressed"

trace:
  events: "/trace/events"

tf:
  base_frame: "base_footprint"
  world_frame: "odom"

services:
  capture_and_score:
    kind: "service"
    name: "/capture_and_score"
    type: "curiosity_rosa_demo/srv/CaptureAndScore"

adapter:
  # Adapterが公開する（toolsが叩く）I/F
  move_forward: { kind: "service", name: "/adapter/move_forward", type: "std_srvs/srv/Trigger" }
  turn_left:    { kind: "service", name: "/adapter/turn_left",    type: "std_srvs/srv/Trigger" }
  turn_right:   { kind: "service", name: "/adapter/turn_right",   type: "std_srvs/srv/Trigger" }
  move_stop:    { kind: "service", name: "/adapter/move_stop",    type: "std_srvs/srv/Trigger" }

  mast_open:    { kind: "service", name: "/adapter/mast_open",    type: "std_srvs/srv/Trigger" }
  mast_close:   { kind: "service", name: "/adapter/mast_close",   type: "std_srvs/srv/Trigger" }
  mast_rotate:  { kind: "service", name: "/adapter/mast_rotate",  type: "std_srvs/srv/Trigger" }

  get_status:   { kind: "service", name: "/adapter/get_status",   type: "std_srvs/srv/Trigger" }

curiosity:
  # Curiosityデモ既存Service（Adapterが呼ぶ実体）
  move_forward: { kind: "service", name: "/move_forward", type: "std_srvs/srv/Empty" }
  turn_left:    { kind: "service", name: "/turn_left",    type: "std_srvs/srv/Empty" }
  turn_right:   { kind: "service", name: "/turn_right",   type: "std_srvs/srv/Empty" }
  move_stop:    { kind: "service", name: "/move_stop",    type: "std_srvs/srv/Empty" }

  mast_open:    { kind: "service", name: "/mast_open",    type: "std_srvs/srv/Empty" }
  mast_close:   { kind: "service", name: "/mast_close",   type: "std_srvs/srv/Empty" }
  mast_rotate:  { kind: "service", name: "/mast_rotate",  type: "std_srvs/srv/Empty" }

viz:
  marker_array: "/visualization_marker_array"
"""
TOOL_COSTS = """\
tools:
  capture_and_score: 1
  mast_rotate: 2
  mast_open: 2
  mast_close: 2
  move_forward: 5
  turn_left: 2
  turn_right: 2
  move_stop: 1
  get_status: 1
"""
PROMPTS = """\
robot_system_prompts:
  embodiment_and_persona: |
    You are an exploration rover operating in a simulated Mars environment.

  critical_instructions: |
    - Execute tools sequentially, one at a time.
    - Prefer real measurements from tools over assumptions.
    - If a move action fails with "Need to close mast", you must close the mast before moving.

  relevant_context: |
    - The camera image may be dark depending on rover position.
    - Bright area starts at X >= 5.0m (configurable).

  nuance_and_assumptions: |
    - Start with low-cost observation attempts (capture, rotate) before high-cost movement.

bootstrap:
  enabled: true
  text: |
    You have access only to the provided tools.
    Use capture_and_score first to understand the situation.

memory:
  enabled: true
  max_events: 10

templates:
  demo_ground_texture:
    label: "Analyze ground texture"
    text: "地面のテクスチャを調査して（Analyze the ground texture）"
  rover_status:
    label: "Rover status"
    text: "現在のローバーの状態を教えて"
"""


def test_the_examples_of_the_requirement_document_load_as_they_are(folder: Any) -> None:
    for name, text in {
        'thresholds': THRESHOLDS,
        'topics': TOPICS,
        'tool_costs': TOOL_COSTS,
        'prompts': PROMPTS,
    }.items():
        (folder / f'{name}.yaml').write_text(text, encoding='utf-8')
    config = load_config(folder)
    assert config.thresholds.move.nudge_duration_sec == 5.0
    assert config.prompts.templates['demo_ground_texture'].label == 'Analyze ground texture'


def test_a_key_that_stands_twice_is_named(folder: Any) -> None:
    path = folder / 'thresholds.yaml'
    path.write_text(path.read_text(encoding='utf-8') + '\nquality: {score_threshold: 0.1}\n')
    assert "key 'quality' occurs twice in one section" in fault(folder)


@pytest.mark.parametrize('text', ['a: [1', 'a: 1\na: 2', 'a:\n\t- 1', 'a: "\\q"', '- a\nb: 1'])
def test_a_fault_of_yaml_is_told_in_the_words_of_the_parser_in_python(
    folder: Path, text: str
) -> None:
    path = folder / 'executive.yaml'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(yaml.MarkedYAMLError) as slow:
        yaml.load(text, Loader=SlowLoader)
    with pytest.raises(ConfigError) as told:
        load_config(folder)
    mark = slow.value.problem_mark
    assert mark is not None
    where = f'{path}:{mark.line + 1}:{mark.column + 1}'
    assert str(told.value) == f'{where}: not valid YAML: {slow.value.problem}.'
