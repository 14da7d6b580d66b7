"""prompts.yaml: the texts that the model is given."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rover_common.config.settings.few_shot_examples import Example
from rover_common.config.settings.goal_templates import Template
from rover_common.config.settings.section import Section


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


class Prompts(Section):
    """prompts.yaml."""

    robot_system_prompts: RobotPrompts
    bootstrap: Bootstrap
    memory: Memory
    few_shot: Annotated[tuple[Example, ...], Field(strict=False)] = ()
    templates: dict[str, Template]
