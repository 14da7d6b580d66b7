"""The offered tools, as far as matching words and numbers against them needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
import re
from typing import Any, TypeAlias

from bt_executive.planner.offline.goal import GoalPart
from bt_executive.planner.offline.lexicon import named_by

ENDINGS = ('finish', 'abort')  # these end a goal; nobody asks for them in a goal
_SWITCHES = frozenset({'on', 'off'})
_VAGUE = frozenset({'move', 'get'})  # words of names that need not be said
_READS = frozenset({'get', 'read', 'list', 'check', 'query'})
_PURPOSE_ENDS = re.compile(r'[.,;:(]| Cost \d')  # `prompts.describe` adds the cost


@dataclass(frozen=True)
class OfflineTool:
    """A tool's name, description and JSON Schema of arguments, as a model gets them."""

    name: str
    description: str
    schema: Mapping[str, Any]

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The meanings of the words in its name."""
        return frozenset(named_by(self.name))

    @cached_property
    def purpose(self) -> tuple[str, ...]:
        """The meanings of the first clause of its description, which says what to do."""
        return named_by(_PURPOSE_ENDS.split(self.description, maxsplit=1)[0])

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The meanings of all words of its description: what it may tell something about."""
        return frozenset(named_by(self.description))

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
    def switch(self) -> str:
        """Its only argument that is true or false."""
        flags = [name for name, each in self.properties.items() if each.get('type') == 'boolean']
        return flags[0] if len(flags) == 1 else ''

    @property
    def reads(self) -> bool:
        """Whether its name says that it only tells something, and it needs no argument."""
        begins = named_by(self.name)[:1]
        return not self.required and (self.is_status or not _READS.isdisjoint(begins))

    @property
    def is_status(self) -> bool:
        """Whether its name says that it tells how things are."""
        return named_by(self.name)[-1:] == ('status',)

    def fit(self, part: GoalPart) -> int:
        """How well a part of a goal names this tool; 0 if it does not."""
        said = part.meanings
        if any(token.said == self.name.lower() for token in part.words):
            return 4
        if self.name_words - _VAGUE and self.name_words - _VAGUE <= said:
            return 3
        if len(self.purpose) > 1 and said.issuperset(self.purpose[:2]):
            return 2  # verb and object
        return int(bool(self.required) and self.required <= {each.key for each in part.numbers})

    def uncovered(self, part: GoalPart) -> list[str]:
        """What is said that neither its name nor its purpose has."""
        known = self.name_words | (set(self.purpose) - _SWITCHES)
        if self.switch and _SWITCHES & part.meanings:
            known |= {*_SWITCHES, 'switch', 'turn'}
        return list(dict.fromkeys(each.said for each in part.words if each.meaning not in known))


Tools: TypeAlias = Mapping[str, OfflineTool]


def toolbox(tools: Iterable[Mapping[str, Any]]) -> Tools:
    """From tools in the format of OpenAI, which is what langchain binds."""
    functions = [tool['function'] for tool in tools]
    return {
        each['name']: OfflineTool(
            each['name'], each.get('description', ''), each.get('parameters', {})
        )
        for each in functions
    }
