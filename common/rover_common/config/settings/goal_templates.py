"""`templates` of prompts.yaml: goals that have a name, and what must be measured at their end."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from rover_common.config.settings.section import Metres, Positive, Section
from rover_common.config.settings.state_types_and_guards import PartName, Wanted

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
