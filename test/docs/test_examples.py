"""The examples of README and docs are accepted by what they are examples for."""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
import shlex

from jsonschema import Draft202012Validator
from papers import ROOT, Block, blocks, needs_distribution, spans
from plugin_packages import YARD, install_example
import pytest
import yaml

from bt_executive.launching.launch_arguments_and_node_options import (
    ARGUMENTS,
    ROVER_ARGUMENTS,
    overrides,
)
from bt_executive.launching.system_processes import NODES
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.ros.interface_classes_and_fields import interface_class, resolve
from rover_common.ros.message_conversions import fields_to_ros

OTHER_ROBOT = 'docs/your_robot.md'  # tried by test_your_robot.py
PLUGINS = 'docs/plugins.md'
PLACEHOLDER = '--set dotted.key=value'


def of_kind(kind: str) -> list[Block]:
    return [block for block in blocks() if block.kind == kind]


def distribution_commands(beginning: str) -> Iterator[list[str]]:
    """The words of each command that begins so, in blocks and in sentences, if it has any more."""
    lines = [line for block in of_kind('sh') for line in block.commands]
    for text in (*lines, *(span.text for span in spans())):
        if text.startswith(f'{beginning} ') and needs_distribution(text):
            yield shlex.split(text.removeprefix(beginning), comments=True)


def skills() -> list[Block]:
    """Robots of their own; what the page on another robot shows stands in that one's file."""
    return [block for block in of_kind('yaml') if not block.place.startswith(OTHER_ROBOT)]


@pytest.mark.parametrize('block', skills(), ids=lambda block: block.place)
def test_a_tool_is_offered_once_it_is_written(
    tmp_path: Path, block: Block, monkeypatch: pytest.MonkeyPatch
) -> None:
    if block.place.startswith(PLUGINS):
        install_example(tmp_path / 'site', monkeypatch)
    path = tmp_path / 'robot.yaml'
    path.write_text(block.text, encoding='utf-8')
    registry = Registry(load_config(path), resolve)
    for name in yaml.safe_load(block.text).get('tools', {}):
        assert registry[name].skill.args, f'{block.place}: {name} has arguments'


@pytest.mark.parametrize(
    'block',
    [block for block in of_kind('python') if block.place.startswith(PLUGINS)],
    ids=lambda block: block.place,
)
def test_what_a_plugin_looks_like_is_of_the_example(block: Block) -> None:
    files = [path.read_text(encoding='utf-8') for path in YARD.rglob('*.py')]
    assert any(block.text in text for text in files)


@pytest.mark.parametrize('block', of_kind('json'), ids=lambda block: block.place)
def test_a_line_of_the_trace_fits_its_schema(block: Block) -> None:
    schema = json.loads((ROOT / 'docs' / 'trace.schema.json').read_text(encoding='utf-8'))
    for line in block.text.splitlines():
        Draft202012Validator(schema).validate(json.loads(line))


@pytest.mark.parametrize(
    'options',
    sorted({span.text for span in spans() if span.text.startswith('--set ')} - {PLACEHOLDER}),
)
def test_options_are_accepted(monkeypatch: pytest.MonkeyPatch, options: str) -> None:
    monkeypatch.chdir(ROOT)  # where the reader's shell is
    words = shlex.split(options)
    assert words[0::2] == ['--set'] * (len(words) // 2)
    load_config(None, words[1::2])


def test_a_launch_has_its_file_and_its_arguments() -> None:
    known = {**ARGUMENTS, **ROVER_ARGUMENTS}
    launches = list(distribution_commands('ros2 launch'))
    assert launches
    for package, file, *arguments in (words for words in launches if len(words) > 1):
        assert package == 'bt_executive'
        assert (ROOT / 'launch' / file).is_file()
        given = dict(each.split(':=', 1) for each in arguments if ':=' in each)
        assert set(given) <= set(known), file
        values = {name: given.get(name, argument.default) for name, argument in known.items()}
        load_config(None, overrides(values, known))


def test_a_request_has_a_type_and_its_fields() -> None:
    actions = list(distribution_commands('ros2 action send_goal'))
    services = list(distribution_commands('ros2 service call'))
    requests = [[word for word in words if word != '--feedback'] for words in actions + services]
    assert [words for words in requests if len(words) > 2]
    for _name, type_name, *fields in (words for words in requests if len(words) > 1):
        for written in fields:
            assert set(yaml.safe_load(written)) <= set(resolve(type_name).request)


def test_a_message_has_a_type_and_its_fields() -> None:
    commands = list(distribution_commands('ros2 topic pub'))
    assert commands
    for words in commands:
        type_name, written = words[-2:]
        fields_to_ros(interface_class(type_name), yaml.safe_load(written))


def test_a_parameter_is_set_on_a_node_of_ours() -> None:
    commands = list(distribution_commands('ros2 param set'))
    assert commands
    for node, _name, value in commands:
        assert node.removeprefix('/') in {each.name for each in NODES}
        yaml.safe_load(value)
