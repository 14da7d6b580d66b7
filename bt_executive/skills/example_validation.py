"""Faults of the sentences by which tools are asked for, in robot.yaml and beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bt_executive.skills.unknown_names import unknown
from rover_common.config.robot_examples import further_examples
from rover_common.config.settings import Robot, Skill
from rover_common.config.settings.examples_file import ExampleFile
from rover_common.config.settings.skills import SkillExample
from rover_common.errors import ConfigError
from rover_common.tool_schema import ToolSchema


def check_example_files(robot: Robot) -> None:
    """Raises ConfigError if a file with examples cannot be read, or says what is no call."""
    files = robot.example_files
    found = [f'{each.path}: {fault}' for each in files for fault in _faults(robot, each)]
    if found:
        raise ConfigError('\n'.join(found))


def said_faults(skill: Skill, examples: Sequence[SkillExample], within: str) -> Iterator[str]:
    """What an example means must be a call: the offline model proposes what it says.

    `within`: the keys that lead to the examples, with a dot behind.
    """
    properties = skill.args_schema['properties']
    for number, example in enumerate(examples):
        key = f'{within}{number}.args'
        yield from unknown(f'{key}: argument', example.args, properties)
        for name, value in example.args.items():
            if name in properties and not ToolSchema(properties[name]).is_valid(value):
                yield f'{key}.{name} is {value!r:.80}, which args does not allow.'


def _faults(robot: Robot, file: ExampleFile) -> Iterator[str]:
    told = further_examples(file.path).tools
    if file.is_own:  # of one that is extended a tool may have been removed
        yield from unknown('tools: tool', told, robot.tools)
    for name, examples in told.items():
        if name in robot.tools:
            yield from said_faults(robot.tools[name], examples, f'tools.{name}.')
