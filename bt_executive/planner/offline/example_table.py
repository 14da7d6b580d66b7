"""The table of all examples of a set of tools, as they are compared: with their classes.

What no tool covers is a class like the tools, and so is the opposite of a tool, whether or not
another tool does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bt_executive.planner.offline.clauses import bare, kinds_of
from bt_executive.planner.offline.no_tool_examples import COURTESY
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import OfflineTool, example_text, slot_of
from bt_executive.planner.offline.opposites import Side, sides, turned
from bt_executive.planner.offline.reply_sentences import language_of
from rover_common.config.settings.skills import SkillExample

NONE, POLITE = '', ' '  # classes of what no tool covers, and of what is only polite
OPPOSITE = '\N{NOT SIGN}'  # before the name of a tool: the class of its opposite
MANY = 8  # examples of a tool, which know of its opposite by themselves
ANY = 'zqx'  # stands for any thing
_TURNED = 3  # opposites of a tool that are examples of a class
OTHER_THINGS = 2  # with which an example with braces is repeated
_FAR_APART = 17  # in the list of all things
_MANY_THINGS = 20  # of a tool, which need no others


@dataclass(frozen=True)
class Said:
    """An example as it is compared, and the class that it belongs to.

    Attributes:
        turned: Of an opposite, the side of the tool that was turned.
    """

    name: str
    example: SkillExample
    text: str
    turned: Side | None = None

    @cached_property
    def sides(self) -> frozenset[Side]:
        """Return the sides of pairs of opposites that it names."""
        return sides(normalize(example_text(self.example)))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Return what it says besides a wish."""
        return kinds_of(example_text(self.example))


def table_of(tools: Sequence[OfflineTool], no_tool: Sequence[str]) -> list[Said]:
    """Return the examples of tools and of what none of them does, and their opposites."""
    things = _things(tools)
    told = [(tool.name, each) for tool in tools for each in _varied(tool, things)]
    told += [(NONE, SkillExample(say=each)) for each in no_tool]
    told += [(POLITE, SkillExample(say=each)) for each in COURTESY]
    found = [Said(name, each, bare(example_text(each))) for name, each in told]
    known = {each.text for each in found}
    opposites = [
        Said(OPPOSITE + tool.name, SkillExample(say=other), bare(other), side)
        for tool in tools
        for other, side in _opposites(tool)
    ]
    return found + [each for each in opposites if each.text not in known]


def frame_of(said: Said) -> tuple[str, str]:
    """Return what an example with braces says before and after them."""
    text = bare(said.example.say.replace(f'{{{slot_of(said.example)}}}', ANY))
    before, _, after = text.partition(ANY)
    return before, after


def _opposites(tool: OfflineTool) -> list[tuple[str, Side]]:
    """Return the opposites of a tool with few examples, and what was turned in each.

    Another tool may do it, or none. A question has no opposite.
    """
    if len(tool.told) >= MANY or tool.switch:
        return []
    wishes = [
        each for each in map(example_text, tool.examples) if 'question' not in kinds_of(each)
    ]
    found = dict(other for each in wishes for other in turned(normalize(each)))
    return list(found.items())[:_TURNED]


def _things(tools: Sequence[OfflineTool]) -> dict[str, list[str]]:
    """Return what all tools name, by language; of no names of ROS."""
    slots = dict.fromkeys(slot_of(each) for tool in tools for each in tool.examples)
    return _by_language(each for each in slots if each and not each.startswith('/'))


def _by_language(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in texts:
        found.setdefault(language_of(each), []).append(each)
    return found


def _varied(tool: OfflineTool, things: Mapping[str, Sequence[str]]) -> list[SkillExample]:
    """Return the examples of a tool, and those with braces with other things in them as well.

    What is named says nothing about the tool: of one with many examples each second one names
    what any tool does.
    """
    found = list(tool.examples)
    slots = dict.fromkeys(slot for each in tool.examples if (slot := slot_of(each)))
    by_language = _by_language(slots)
    for at, example in enumerate(tool.examples):
        slot = slot_of(example)
        alike = by_language.get(language_of(example.say), [])
        turned = alike[at % len(alike) :] + alike[: at % len(alike)] if alike else []
        most = 0 if len(slots) >= _MANY_THINGS else OTHER_THINGS
        pool = things.get(language_of(slot), ()) if slot and not most and at % 2 else ()
        if pool:
            found[at] = _with(example, slot, pool[at * _FAR_APART % len(pool)])
        others = [each for each in turned if each != slot][:most] if slot else []
        found += [_with(example, slot, each) for each in others]
    return found


def _with(example: SkillExample, slot: str, other: str) -> SkillExample:
    return example.model_copy(update={'say': example.say.replace(f'{{{slot}}}', f'{{{other}}}')})
