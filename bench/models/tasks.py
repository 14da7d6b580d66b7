"""The tasks of the model bench, as its file has them, and as cases of the guard bench."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter
import yaml

from bench.guard.script import Case, Name, Seconds, TruthOfTask, Value, World

FILE = Path(__file__).with_name('model_tasks.yaml')
LANGUAGES = ('en', 'ja', 'zh')
KINDS = ('reading', 'acting', 'guarded', 'declined')


class ModelTask(Value):
    """One task.

    Attributes:
        truth: What is so at the end if it was done, at the physics.
        says: Of each of these lists the answer has one of the texts.
    """

    name: Name
    kind: Literal['reading', 'acting', 'guarded', 'declined']
    en: str
    ja: str
    zh: str
    world: World = World()
    truth: TruthOfTask = TruthOfTask()
    says: tuple[tuple[Annotated[str, Field(min_length=1)], ...], ...] = ()
    seconds: Seconds = 60.0

    def case(self, language: str, settings: tuple[str, ...]) -> Case:
        """Return it as a case, with a model of these settings."""
        world = self.world.model_copy(update={'settings': (*self.world.settings, *settings)})
        return Case(
            name=f'{self.name}.{language}',
            family=self.kind,
            hostile=False,
            task=getattr(self, language),
            seed=1,
            world=world,
            truth=self.truth,
            seconds=self.seconds,
        )


@cache
def read_tasks() -> tuple[ModelTask, ...]:
    """Return the tasks of the file."""
    found = yaml.safe_load(FILE.read_text(encoding='utf-8'))
    return tuple(TypeAdapter(list[ModelTask]).validate_python(found))
