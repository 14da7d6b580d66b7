"""Validation of the example requests of tools, in robot.yaml and in the files beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bt_executive.skills.unknown_names import unknown_names
from rover_common.config.robot_examples import further_examples
from rover_common.config.settings import Robot, Skill
from rover_common.config.settings.examples_file import ExampleFile
from rover_common.config.settings.skills import SkillExample
from rover_common.errors import ConfigError
from rover_common.tool_schema import ToolSchema


def check_example_files(robot: Robot) -> None:
    """Raise ConfigError if a file with examples cannot be read, or an example is no valid call."""
    files = robot.example_files
    faults = [f'{file.path}: {fault}' for file in files for fault in _file_faults(robot, file)]
    if faults:
        raise ConfigError('\n'.join(faults))


def example_argument_faults(
    skill: Skill, examples: Sequence[SkillExample], within: str
) -> Iterator[str]:
    """Yield faults of the arguments of examples, from which the offline model makes proposals.

    `within`: the key of the examples, with a dot at its end.
    """
    properties = skill.args_schema['properties']
    for number, example in enumerate(examples):
        key = f'{within}{number}.args'
        yield from unknown_names(f'{key}: argument', example.args, properties)
        for name, value in example.args.items():
            if name in properties and not ToolSchema(properties[name]).is_valid(value):
                yield f'{key}.{name} is {value!r:.80}, which args does not allow.'


def _file_faults(robot: Robot, file: ExampleFile) -> Iterator[str]:
    tools = further_examples(file.path).tools
    if file.is_own:  # a tool of an extended robot may have been removed
        yield from unknown_names('tools: tool', tools, robot.tools)
    for name, examples in tools.items():
        if name in robot.tools:
            yield from example_argument_faults(robot.tools[name], examples, f'tools.{name}.')
