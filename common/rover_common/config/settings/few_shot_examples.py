"""`few_shot` of prompts.yaml: examples of goals, step by step, that the model is shown."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from rover_common.config.settings.section import Section, Variant


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
