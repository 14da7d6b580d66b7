"""The offered tools as the offline model knows them: description, schema and examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
import re
from typing import Any, TypeAlias

from rover_common.config.robot_examples import RobotExamples
from rover_common.config.settings import Skill
from rover_common.config.settings.skills import SkillExample

ENDINGS = ('finish', 'abort')  # they end a goal, and are no part of one
ENOUGH = 3  # examples of a tool; with fewer, its purpose is one, too
_PURPOSE_ENDS = re.compile(r'[.,;:(]| Cost \d')  # `prompts.describe` adds the cost
_SLOT = re.compile(r'\{([^{}]*)\}')


@dataclass(frozen=True)
class OfflineTool:
    """A tool's name, description and JSON Schema of arguments, as a model gets them."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(hash=False)
    own_examples: tuple[SkillExample, ...] = field(default=(), hash=False)
    resources: tuple[str, ...] = ()  # of the robot, that it needs
    reads_only: bool = False  # it changes nothing
    model: str = ''  # file of a model with labels for it

    @cached_property
    def examples(self) -> tuple[SkillExample, ...]:
        """Return the robot's examples, and its name and purpose."""
        purpose = _PURPOSE_ENDS.split(self.description, maxsplit=1)[0].strip()
        names = [self.spaced] if len(self.own_examples) >= ENOUGH else [self.spaced, purpose]
        return (*self.own_examples, *(SkillExample(say=each) for each in names if each))

    @property
    def spaced(self) -> str:
        """Return its name with blanks."""
        return self.name.replace('_', ' ')

    @cached_property
    def has_slots(self) -> bool:
        """Return whether an example has a slot."""
        return any(map(slot_of, self.examples))

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of its name."""
        return frozenset(self.name.lower().split('_'))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Return the fields of its result that examples ask for."""
        return tuple(
            dict.fromkeys(each for example in self.own_examples for each in example.tells)
        )

    @property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the schemas of its arguments."""
        properties: Mapping[str, Mapping[str, Any]] = self.schema.get('properties', {})
        return properties

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Return its arguments that are numbers."""
        schemas = self.properties.items()
        return tuple(name for name, each in schemas if each.get('type') in ('number', 'integer'))

    @cached_property
    def required(self) -> frozenset[str]:
        """Return the arguments that must be given."""
        return frozenset(self.schema.get('required', ()))

    @cached_property
    def switch(self) -> str:
        """Return its only boolean argument; empty: none, or several."""
        flags = [name for name, each in self.properties.items() if each.get('type') == 'boolean']
        return flags[0] if len(flags) == 1 else ''

    @cached_property
    def rates(self) -> frozenset[str]:
        """Return its arguments for a rate."""
        return frozenset(each for each in self.properties if each.startswith('every_'))

    def waits(self, given: Iterable[str]) -> bool:
        """Return whether one of these arguments is a condition to wait for: it has an enum."""
        return any('enum' in self.properties[each] for each in given)

    @cached_property
    def text_argument(self) -> str:
        """Return its argument that is free text: the only one, or the only required one."""
        texts = [
            name
            for name, each in self.properties.items()
            if each.get('type') == 'string' and not {'enum', 'const'} & set(each)
        ]
        needed = [name for name in texts if name in self.required]
        (text,) = needed if len(needed) == 1 else texts if len(texts) == 1 else ('',)
        return text


Tools: TypeAlias = Mapping[str, OfflineTool]


def does_more_than_answer(tool: OfflineTool) -> bool:
    """Return whether a tool uses a resource of the robot, or switches something."""
    return bool(tool.resources or tool.switch)


def only_answers(tool: OfflineTool) -> bool:
    """Return whether a tool does nothing but answer, whatever it is asked for.

    By the robot's file, or since it is told no name or number.
    """
    has_more = tool.has_slots or any(
        each.get('type') != 'string' for each in tool.properties.values()
    )
    return tool.reads_only or not (does_more_than_answer(tool) or has_more)


def slot_of(example: SkillExample) -> str:
    """Return the slot of an example, in braces; empty: it has none."""
    return slot_in(example.say)


@lru_cache(1 << 14)
def slot_in(say: str) -> str:
    """Return the text in braces; empty: there is none."""
    found = _SLOT.search(say)
    return found[1] if found else ''


def example_text(example: SkillExample) -> str:
    """Return the text of an example without braces."""
    return _SLOT.sub(r'\1', example.say) if slot_of(example) else example.say


def tools_by_name(
    tools: Iterable[Mapping[str, Any]], examples: RobotExamples, skills: Mapping[str, Skill]
) -> Tools:
    """Return tools by their names.

    Args:
        tools: In OpenAI's format, which langchain binds.
        examples: Of the robot's tools.
        skills: The same tools, from the robot's file.
    """
    found: dict[str, OfflineTool] = {}
    for each in (tool['function'] for tool in tools):
        name, skill = each['name'], skills.get(each['name'])
        found[name] = OfflineTool(
            name,
            each.get('description', ''),
            each.get('parameters', {}),
            examples.tools.get(name, ()),
            skill.resources_required if skill else (),
            bool(skill and skill.reads_only),
            examples.model,
        )
    return found


@lru_cache(1 << 14)
def language_of(text: str) -> str:
    """Return the language of the reply: Japanese for kana, Chinese for Han alone, else English."""
    if re.search('[぀-ヿ]', text):
        return 'ja'
    return 'zh' if re.search('[一-鿿]', text) else 'en'
