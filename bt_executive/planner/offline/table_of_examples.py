"""The table of labelled examples: the wordings of tools, varied, their opposites, and no tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bt_executive.planner.offline.antonyms import Side, reverse, sides
from bt_executive.planner.offline.clause_parsing import asks, bare, modifiers_of
from bt_executive.planner.offline.courtesy_and_asides import read_sentences
from bt_executive.planner.offline.offered_tools import (
    OfflineTool,
    example_text,
    language_of,
    slot_of,
)
from bt_executive.planner.offline.text_normalization import normalize
from rover_common.config.settings.skills import SkillExample

NONE, POLITE = '', ' '  # labels of what no tool covers, and of courtesy
OPPOSITE = '\N{NOT SIGN}'  # before the name of a tool: the label of its opposite
MANY = 8  # examples of a tool, which suffice without its opposites
ANY = 'zqx'  # a placeholder for a slot value
_OPPOSITES = 3  # of a tool, as examples
OTHER_VALUES = 2  # with which an example with a slot is repeated
_STRIDE = 17  # through the list of all slot values
_MANY_VALUES = 20  # of a tool, which needs no others


@dataclass(frozen=True)
class LabelledExample:
    """An example with its label.

    Attributes:
        name: The label: a tool's name, or NONE, POLITE or OPPOSITE with a tool's name.
        example: As written.
        text: The text that is compared.
        reversed_side: Of an opposite: the side of the tool that is reversed in it.
    """

    name: str
    example: SkillExample
    text: str
    reversed_side: Side | None = None

    @cached_property
    def sides(self) -> frozenset[Side]:
        """Return the sides of antonym pairs in it."""
        return sides(normalize(example_text(self.example)))

    @cached_property
    def modifiers(self) -> frozenset[str]:
        """Return its modifiers."""
        return modifiers_of(example_text(self.example))

    @property
    def asks(self) -> bool:
        """Return whether it is a question."""
        return asks(example_text(self.example))


def table_of(tools: Sequence[OfflineTool], no_tool: Sequence[str]) -> list[LabelledExample]:
    """Return the examples of tools, of what none of them does, and of opposites."""
    values = _slot_values(tools)
    examples = [(tool.name, each) for tool in tools for each in _varied(tool, values)]
    examples += [(NONE, SkillExample(say=each)) for each in no_tool]
    examples += [(POLITE, SkillExample(say=each)) for each in read_sentences('courtesy.txt')]
    found = [LabelledExample(name, each, bare(example_text(each))) for name, each in examples]
    texts = {each.text for each in found}
    opposites = [
        LabelledExample(OPPOSITE + tool.name, SkillExample(say=other), bare(other), side)
        for tool in tools
        for other, side in _opposites(tool)
    ]
    return found + [each for each in opposites if each.text not in texts]


def frame_of(labelled: LabelledExample) -> tuple[str, str]:
    """Return the text of an example before and after its slot.

    Both are empty around a ROS name, which is recognized by its slash.
    """
    slot = slot_of(labelled.example)
    if slot.startswith('/'):
        return '', ''
    before, _, after = bare(labelled.example.say.replace(f'{{{slot}}}', ANY)).partition(ANY)
    return before, after


def _opposites(tool: OfflineTool) -> list[tuple[str, Side]]:
    """Return the opposites of a tool with few examples, and the side that each reverses.

    Another tool may do it, or none. A question has no opposite.
    """
    if len(tool.own_examples) >= MANY or tool.switch:
        return []
    commands = [each for each in map(example_text, tool.examples) if not asks(each)]
    found = dict(other for each in commands for other in reverse(normalize(each)))
    return list(found.items())[:_OPPOSITES]


def _slot_values(tools: Sequence[OfflineTool]) -> dict[str, list[str]]:
    """Return the slot values of all tools by language, without names of ROS."""
    slots = dict.fromkeys(slot_of(each) for tool in tools for each in tool.examples)
    return _by_language(each for each in slots if each and not each.startswith('/'))


def _by_language(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in texts:
        found.setdefault(language_of(each), []).append(each)
    return found


def _varied(tool: OfflineTool, values: Mapping[str, Sequence[str]]) -> list[SkillExample]:
    """Return the examples of a tool, those with a slot repeated with other values.

    A slot value says nothing about the tool: of a tool with many examples every second one gets a
    value of any tool.
    """
    found = list(tool.examples)
    slots = dict.fromkeys(slot for each in tool.examples if (slot := slot_of(each)))
    by_language = _by_language(slots)
    for at, example in enumerate(tool.examples):
        slot = slot_of(example)
        alike = by_language.get(language_of(example.say), [])
        rotated = alike[at % len(alike) :] + alike[: at % len(alike)] if alike else []
        most = 0 if len(slots) >= _MANY_VALUES else OTHER_VALUES
        pool = values.get(language_of(slot), ()) if slot and not most and at % 2 else ()
        if pool:
            found[at] = _with(example, slot, pool[at * _STRIDE % len(pool)])
        others = [each for each in rotated if each != slot][:most] if slot else []
        found += [_with(example, slot, each) for each in others]
    return found


def _with(example: SkillExample, slot: str, value: str) -> SkillExample:
    return example.model_copy(update={'say': example.say.replace(f'{{{slot}}}', f'{{{value}}}')})
