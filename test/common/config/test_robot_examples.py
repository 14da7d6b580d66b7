"""examples.yaml beside a robot.yaml: joined with it, and no part of the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bt_executive.skills.argument_schema_validation import check_example_files
from bt_executive.store.run_configuration_and_metadata import (
    FOLDER,
    digest_of,
    save_configuration,
    saved_digest,
)
from rover_common.config.load import load_config
from rover_common.config.robot_examples import robot_examples
from rover_common.config.robot_file import default_folder
from rover_common.errors import ConfigError

LAMP = """
tools:
  lamp:
    service: { name: /lamp, type: std_srvs/srv/SetBool }
    args: { lit: { type: boolean, field: data } }
    examples: ["lamp on"]
"""
MORE = """
no_tool: ["sing"]
tools:
  lamp: ["lamp on", { say: "lights out", args: { lit: false } }]
  wait: ["hang on for 3 s"]
"""


def said(folder: Path | None) -> dict[str, list[str]]:
    told = robot_examples(load_config(folder).robot).tools
    return {name: [each.say for each in examples] for name, examples in told.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / 'robot.yaml').write_text(LAMP)
    (tmp_path / 'examples.yaml').write_text(MORE)
    return tmp_path


def test_both_are_joined_and_so_are_those_of_the_robot_that_is_extended(folder: Path) -> None:
    found, before = said(folder), said(default_folder() / 'robots' / 'any_robot')
    assert found['lamp'] == ['lamp on', 'lights out']
    assert set(before['wait']) | {'hang on for 3 s'} == set(found['wait'])
    assert robot_examples(load_config(folder).robot).no_tool == ('sing',)
    check_example_files(load_config(folder).robot)


def test_a_robot_file_of_another_name_has_none_beside_it(folder: Path) -> None:
    (folder / 'desk.yaml').write_text(LAMP)
    assert said(folder / 'desk.yaml')['lamp'] == ['lamp on']


def test_a_tool_of_an_extended_robot_may_be_removed(tmp_path: Path) -> None:
    (tmp_path / 'robot.yaml').write_text('extends: curiosity\ntools: { look: null }\n')
    assert 'look' not in said(tmp_path)
    check_example_files(load_config(tmp_path).robot)


@pytest.mark.parametrize('robot', ['', 'robots/any_robot'])
def test_shipped_files_speak_of_the_robots_tools(robot: str) -> None:
    check_example_files(load_config(default_folder() / robot).robot)


@pytest.mark.slow
def test_a_run_keeps_all_of_them(folder: Path, tmp_path: Path) -> None:
    config, kept = load_config(folder), tmp_path / 'run'
    save_configuration(config, kept)
    assert saved_digest(kept) == digest_of(config)
    assert said(kept / FOLDER) == said(folder)
    again = load_config(kept / FOLDER)
    assert robot_examples(again.robot) == robot_examples(config.robot)
    assert digest_of(again) == digest_of(config)


FAULTS: dict[str, tuple[Any, str]] = {
    'tools: { lmap: ["on"] }': ('tool', "tools: tool 'lmap' is not known; did you mean 'lamp'?"),
    'tools: { lamp: [{ say: "on", args: { lit: 2 } }] }': (
        'call',
        'tools.lamp.0.args.lit is 2, which args does not allow.',
    ),
    'tools: { lamp: [{ say: "on", args: { x: 2 } }] }': ('argument', "argument 'x' is not known"),
    'tools: { lamp: [{ sya: "on" }] }': ('key', "unknown key 'tools.lamp.0.sya'"),
    'tools: { lamp: on }': ('list', "'tools.lamp' is "),
    'tool: { lamp: ["on"] }': ('top', "unknown key 'tool'"),
    '[': ('yaml', 'not valid YAML'),
    'no_tool: ["on \\u202e ffo"]': ('hidden', 'a character that nobody can see'),
}


@pytest.mark.parametrize('text', FAULTS, ids=[name for name, _ in FAULTS.values()])
def test_a_fault_is_told_with_the_file(folder: Path, text: str) -> None:
    file = folder / 'examples.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        check_example_files(load_config(folder).robot)
    assert str(error.value).startswith(str(file))
    assert FAULTS[text][1] in str(error.value)


def test_the_key_that_the_loader_sets_is_no_key_of_a_file(folder: Path) -> None:
    (folder / 'robot.yaml').write_text('example_files: ["/etc/passwd"]\n')
    with pytest.raises(ConfigError, match='examples\\.yaml beside robot\\.yaml'):
        load_config(folder)
