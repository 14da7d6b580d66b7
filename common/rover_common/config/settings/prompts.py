"""prompts.yaml: the texts and examples that the model is given."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from rover_common.config.settings.goal_templates import Template
from rover_common.config.settings.section import Section, Variant


class RobotPrompts(Section):
    """The categories of rosa.RobotSystemPrompts, under the names of spec 1."""

    embodiment_and_persona: str = ''
    critical_instructions: str = ''
    relevant_context: str = ''
    nuance_and_assumptions: str = ''


class Bootstrap(Section):
    """Operating knowledge added to the system prompt."""

    enabled: bool
    text: str


class Memory(Section):
    """Whether the latest trace events are shown to the model, and how many."""

    enabled: bool
    max_events: Annotated[int, Field(ge=0, le=1000)]


class ExampleStep(Section):
    """A tool call of an example, and what came of it in a few words."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    result: str


class Example(Section):
    """How a goal is pursued well: one of the few-shot examples that the model is shown.

    `answer`: the model's words at the end; may be left out.
    """

    goal: str
    steps: Annotated[tuple[ExampleStep, ...], Field(strict=False, min_length=1, max_length=20)]
    answer: str = ''
    variants: Annotated[tuple[Variant, ...], Field(strict=False)] = ('A', 'B')


class Prompts(Section):
    """prompts.yaml."""

    robot_system_prompts: RobotPrompts
    bootstrap: Bootstrap
    memory: Memory
    few_shot: Annotated[tuple[Example, ...], Field(strict=False)] = ()
    templates: dict[str, Template]
