"""examples.yaml, beside a robot.yaml: further sentences by which its tools are asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rover_common.config.settings.section import Section
from rover_common.config.settings.skills import SkillExample, ToolName

MOST_EXAMPLES = 1000  # of a tool: this bounds the time to understand a goal


class ExampleFile(Section):
    """A file with examples, and whether it is beside the robot's own robot.yaml.

    One that does not is that of a robot which this one extends.
    """

    path: str
    is_own: bool


class FurtherExamples(Section):
    """The content of such a file.

    Attributes:
        no_tool: Requests that no tool covers.
        tools: Tool → its examples.
    """

    no_tool: Annotated[tuple[str, ...], Field(strict=False)] = ()
    tools: dict[
        ToolName,
        Annotated[tuple[SkillExample, ...], Field(strict=False, max_length=MOST_EXAMPLES)],
    ] = Field(default_factory=dict)
