"""The offered tools, as far as matching words and numbers against them needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
import re
from typing import Any, TypeAlias

from bt_executive.planner.offline.goal import Part
from bt_executive.planner.offline.lexicon import named_by

ENDINGS = ('finish', 'abort')  # these end a goal; nobody asks for them in a goal
SWITCHES = frozenset({'on', 'off'})
_VAGUE = frozenset({'move', 'get'})  # words of names that need not be said
_READS = frozenset({'get', 'read', 'list', 'check', 'query', 'measure', 'status'})
_PURPOSE_ENDS = re.compile(r'[.,;:(]| Cost \d')  # and 'Cost' is what `prompts.describe` adds

Tools: TypeAlias = Mapping[str, 'Tool']


@dataclass(frozen=True)
class Tool:
    """A tool's name, description and JSON Schema of arguments, as a model gets them."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @cached_property
    def name_words(self) -> tuple[str, ...]:
        """The meanings of the words in its name."""
        return named_by(self.name)

    @cached_property
    def purpose(self) -> tuple[str, ...]:
        """The meanings of the first clause of its description, which says what to do."""
        return named_by(_PURPOSE_ENDS.split(self.description, maxsplit=1)[0])

    @property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        """The schemas of its arguments."""
        properties: Mapping[str, Mapping[str, Any]] = self.schema.get('properties', {})
        return properties

    @property
    def required(self) -> frozenset[str]:
        """The arguments that must be given."""
        return frozenset(self.schema.get('required', ()))

    @property
    def reads(self) -> bool:
        """Whether its name says that it only tells something, and it needs no argument."""
        return bool(_READS & set(self.name_words)) and not self.required

    def fit(self, part: Part) -> int:
        """How well a part of a goal names this tool; 0 if it does not."""
        said = part.meanings
        needed = set(self.name_words) - _VAGUE
        if part.tool:
            return 4 if part.tool == self.name.lower() else 0
        if needed and needed <= said:
            return 3
        if len(self.purpose) > 1 and set(self.purpose[:2]) <= said:
            return 2  # verb and object
        keys = {amount.key for amount in part.amounts}
        return 1 if self.required and self.required <= keys else 0

    def uncovered(self, part: Part) -> tuple[str, ...]:
        """What is said that neither the tool's name nor its purpose or arguments have."""
        known = {*self.name_words, *(set(self.purpose) - SWITCHES)}
        if self.switch and SWITCHES & part.meanings:
            known |= {*SWITCHES, 'switch', 'turn'}
        values = {str(each) for schema in self.properties.values() for each in choices(schema)}
        return tuple(said for word, said in part.words if word not in known and said not in values)

    @property
    def switch(self) -> str:
        """Its only argument that is true or false."""
        flags = [name for name, each in self.properties.items() if each.get('type') == 'boolean']
        return flags[0] if len(flags) == 1 else ''


def choices(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values of an argument whose schema lists them."""
    return tuple(schema.get('enum', ()))


def toolbox(tools: Iterable[Mapping[str, Any]]) -> Tools:
    """From tools in the format of OpenAI, which is what langchain binds."""
    functions = [tool['function'] for tool in tools]
    return {
        each['name']: Tool(each['name'], each.get('description', ''), each.get('parameters', {}))
        for each in functions
    }
