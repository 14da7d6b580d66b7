"""prompts.yaml: texts and examples for the model, and goals that have a name (`templates`)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from rover_common.config.settings.section import Metres, Positive, Section, Variant
from rover_common.config.settings.state_and_guards import PartName, Wanted


class ExampleStep(Section):
    """A tool call of an example, and its result in a few words."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    result: str


class Example(Section):
    """How a goal is pursued well: one of the few-shot examples that the model is shown.

    `answer`: the model's text at the end; may be left out.
    """

    goal: str
    steps: Annotated[tuple[ExampleStep, ...], Field(strict=False, min_length=1, max_length=20)]
    answer: str = ''
    variants: Annotated[tuple[Variant, ...], Field(strict=False)] = ('A', 'B')


ANSWER = 'answer'


class Near(Section):
    """A place in the world frame, and how near to it the robot must be; m."""

    x: Metres
    y: Metres
    within_m: Positive


class DoneWhen(Section):
    """What must be measured at the end of a goal, all of it, for it to be reached.

    Attributes:
        where: Field → its wanted value, several, or bounds, as in a precondition. Fields are the
            robot's parts and those that the executive measures itself (core/done_when.py).
        near: Where the robot must be.
        answer: The goal is a question, reached by an answer. Then there is nothing else.
    """

    where: dict[PartName, Wanted] = Field(default_factory=dict)
    near: Near | None = None
    answer: bool = False

    @model_validator(mode='before')
    @classmethod
    def _a_question(cls, raw: Any) -> Any:
        return {'answer': True} if raw == ANSWER else raw

    @model_validator(mode='after')
    def _check_not_empty(self) -> DoneWhen:
        measures = bool(self.where or self.near)
        if self.answer == measures:
            raise ValueError(
                f'write {ANSWER} for a question; else where, near or both, such as '
                '{ where: { driven_m: { at_least: 2.0 } } }'
            )
        return self


class Template(Section):
    """A goal that has a name. `done_when`: what must be measured for it to be reached."""

    label: str
    text: str
    done_when: DoneWhen | None = None


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
