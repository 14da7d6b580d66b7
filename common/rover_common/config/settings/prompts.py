"""tool_costs.yaml and prompts.yaml: what the model is told."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rover_common.config.settings.section import Section, Variant


class ToolCosts(Section):
    """tool_costs.yaml: rough cost of one call, without a unit."""

    tools: dict[str, Annotated[float, Field(ge=0.0, allow_inf_nan=False)]]


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


DoneWhen = Literal['answer', 'good_picture']


class Template(Section):
    """A goal that is reached by its name. `done_when`: what must be true for `reached`."""

    label: str
    text: str
    done_when: DoneWhen = 'answer'


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
