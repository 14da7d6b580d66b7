"""tool_costs.yaml and prompts.yaml: what the model is told."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bt_executive.settings.section import Section


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


class Prompts(Section):
    """prompts.yaml."""

    robot_system_prompts: RobotPrompts
    bootstrap: Bootstrap
    memory: Memory
    templates: dict[str, Template]
