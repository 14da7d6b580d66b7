"""Finds the tool that a part of a goal asks for, by examples.

A text that is an example is that tool's, at once. For others each example is a vector
(`example_vectors`). What no tool covers is a class like the tools, with examples of its own; and
so is the opposite of a tool, whether or not another tool does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from bt_executive.planner.offline.clauses import bare
from bt_executive.planner.offline.example_table import ANY, NONE, Said, frame_of, table_of
from bt_executive.planner.offline.example_vectors import ExampleVectors, Match, Ranked
from bt_executive.planner.offline.neural_networks import load_model
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import (
    ENDINGS,
    OfflineTool,
    Tools,
    example_text,
    slot_of,
)
from bt_executive.planner.offline.reply_sentences import language_of
from bt_executive.planner.offline.spelling import corrected, words_in
from bt_executive.planner.offline.text_arguments import is_a_thing, runs_of
from rover_common.config.settings.skills import SkillExample

_NAMED = 0.6  # least similarity to an example with its own thing in the place of another
_FRAMED = 0.6  # score of a text that is an example with another thing in its braces
_LEAST = 1e-6
_FITS = 0.35  # least similarity of an example whose arguments are taken


class Meanings:
    """The examples of a set of tools. The sentence encoder is loaded for the first other text."""

    def __init__(self, tools: Sequence[OfflineTool], no_tool: Sequence[str]) -> None:
        self._said = table_of(tools, no_tool)
        models = {each.model for each in tools if each.model}
        self.model = load_model(models.pop()) if len(models) == 1 else None
        self._switches = frozenset(tool.name for tool in tools if tool.switch)
        self._tools = tuple(tool.name for tool in tools)
        self._moves = frozenset(tool.name for tool in tools if tool.parts)
        self._classes = sorted({each.name for each in self._said} | {NONE})
        own = [
            Said(tool.name, each, bare(example_text(each)))
            for tool in tools
            for each in tool.examples
        ]
        self._exact = {each.text: each for each in reversed([*own, *self._said])}
        shared = {a.text for a in self._said if self._exact[a.text].name != a.name}
        self._exact = {text: each for text, each in self._exact.items() if text not in shared}

    @cached_property
    def _own(self) -> dict[str, NDArray[np.int64]]:
        """Return which of the examples are each tool's."""
        found: dict[str, list[int]] = {each: [] for each in self._tools}
        for at, each in enumerate(self._said):
            found.setdefault(each.name, []).append(at)
        return {name: np.array(own, np.int64) for name, own in found.items()}

    @cached_property
    def _slots(self) -> dict[str, list[tuple[int, str, tuple[str, str]]]]:
        """Return a tool's examples with braces: what stands in them, before and after them."""
        found: dict[str, list[tuple[int, str, tuple[str, str]]]] = {}
        for at, each in enumerate(self._said):
            if slot := slot_of(each.example):
                found.setdefault(each.name, []).append((at, slot, frame_of(each)))
        return found

    def knows_arguments(self, tool: str) -> bool:
        """Return whether the model tells apart with which arguments a tool is asked for."""
        classes = self.model.labels if self.model else ()
        return any(each.startswith(f'{tool} ') for each in classes)

    def know(self, texts: Iterable[str]) -> bool:
        """Return whether each text is an example, so that no encoder is needed."""
        return all(each in self._exact for each in texts)

    def foresee(self, texts: Iterable[str], read: str) -> None:
        """Encode at once what will be matched one after another, and what the model will read.

        Each time that something is encoded all weights are read, which takes most of the time.

        Raises:
            ModelError: As `match`.
        """
        self._vectors.match([each for each in texts if each not in self._exact], also=[read])

    def match(self, texts: Sequence[str]) -> list[Match]:
        """Return what each text may ask for.

        Raises:
            ModelError: The sentence encoder is needed, and is not there.
        """
        others = list(dict.fromkeys(each for each in texts if each not in self._exact))
        found = self._vectors.match(others) if others else {}
        framed = {text: self._framed(text, match) for text, match in found.items()}
        return [framed.get(each) or self._same(each) for each in texts]

    def _framed(self, text: str, match: Match) -> Match:
        """Return the match of a text that is an example but for the thing in its braces.

        What is named says nothing about the tool: “go to the north camp” is no “north camp here”.
        """
        fits = {
            name
            for length, frames in self._frames_of.items()
            for name, after in frames.get(text[:length], ())
            if text.endswith(after)
            and is_a_thing(text[length : len(text) - len(after)], length + len(after))
        }
        first = [each for each in match.ranked if each.name in fits and each.score]
        if len(fits) != 1 or not first or (first[0] == match.best and match.is_sure):
            return match
        score = max(first[0].score, _FRAMED)
        others = (each for each in match.ranked if each.name not in fits)
        rest = (
            Ranked(each.name, min(each.score, score - match.margin - _LEAST)) for each in others
        )
        return replace(match, ranked=(Ranked(first[0].name, score), *rest))

    @cached_property
    def _frames_of(self) -> dict[int, dict[str, list[tuple[str, str]]]]:
        """Return the frames by what they say before their braces, and by its length."""
        found: dict[int, dict[str, list[tuple[str, str]]]] = {}
        for name, before, after in dict.fromkeys(self._frames):
            found.setdefault(len(before), {}).setdefault(before, []).append((name, after))
        return found

    @cached_property
    def _frames(self) -> list[tuple[str, str, str]]:
        """Return the tool of each example with braces, and what it says before and after them."""
        found = []
        for each in self._said:
            slot = slot_of(each.example)
            if slot and not slot.startswith('/'):  # a ROS name is called so by its slash
                said = bare(each.example.say.replace(f'{{{slot}}}', ANY))
                before, thing, after = said.partition(ANY)
                if thing and ANY not in after and before + after:
                    found.append((each.name, before, after))
        return found

    def corrected(self, text: str) -> str:
        """Return a plain text with slips of the keyboard as the examples have these words.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        return corrected(text, self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(
            word for each in self._said for word in words_in(normalize(each.example.say))
        )

    def example_for(self, text: str, tool: str, said: frozenset[str]) -> SkillExample | None:
        """Return the tool's nearest example that says as much as the text does besides.

        None: a text that denies, asks or sets a condition is nothing that the tool has an example
        for.
        """
        exact = self._exact.get(text)
        if exact is not None and exact.name == tool:
            return exact.example
        own = self._own[tool]
        alike = self._vectors.alike_to(text)[own]
        nearest = (own[at] for at in np.argsort(-alike, kind='stable') if alike[at] >= _FITS)
        fits = (each for each in map(self._said.__getitem__, nearest) if said <= each.kinds)
        return next((each.example for each in fits), None)

    def that_name_things(self, text: str, tool: str) -> list[str]:
        """Return the tool's examples with braces, the nearest to a text first."""
        alike = self._vectors.alike_to(text)
        frames = [(before, after) for name, before, after in self._frames if name == tool]
        fits = {each for each in frames if text.startswith(each[0]) and text.endswith(each[1])}
        own = sorted(
            self._slots.get(tool, ()), key=lambda each: (each[2] not in fits, -alike[each[0]])
        )
        return list(dict.fromkeys(self._said[at].example.say for at, _, _ in own))

    def suggestion(self, text: str, tool: str) -> SkillExample | None:
        """Return the tool's example nearest to a text, in the text's language if it has one."""
        own = self._own[tool]
        language = language_of(text)
        same = [at for at in own if language_of(self._said[at].example.say) == language]
        alike = self._vectors.alike_to(text)
        best = max(same or own, key=lambda at: float(alike[at]), default=None)
        return None if best is None else self._said[best].example

    def named_in(self, text: str, tool: str) -> str:
        """Return what stands in a text where an example of the tool has braces; empty: not sure.

        Each run of words is tried: with the example's own in its place the text is most like the
        example.
        """
        named = self._slots.get(tool)
        runs = runs_of(text)
        if not named or not runs:
            return ''
        alike = self._vectors.alike_to(text)
        nearest, slot, _ = max(named, key=lambda each: alike[each[0]])
        tried = [f'{text[:begin]} {slot} {text[end:]}' for begin, end in runs]
        fits = self._vectors.alike_to_one(tried, nearest)
        best = int(fits.argmax())
        begin, end = runs[best]
        return text[begin:end] if fits[best] >= _NAMED else ''

    def _same(self, text: str) -> Match:
        own = self._exact[text].name
        others = (Ranked(each, 0.0) for each in self._classes if each != own)
        return Match(text, (Ranked(own, 1.0), *others), 1.0)

    @cached_property
    def _vectors(self) -> ExampleVectors:
        return ExampleVectors(self._said, self._classes, self._switches, self._moves)

    def asides(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it is only said around a wish.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        return self._vectors.asides(texts)


def meanings_of(tools: Tools, no_tool: tuple[str, ...] = ()) -> Meanings:
    """Return the meanings of these tools; those of the latest few sets are kept."""
    listed = (_Listed(tool) for name, tool in tools.items() if name not in ENDINGS)
    return _made(tuple(listed), no_tool)


@dataclass(frozen=True)
class _Listed:
    """A tool that can be looked up: a JSON Schema has no hash."""

    tool: OfflineTool

    def __hash__(self) -> int:
        return hash((self.tool.name, self.tool.description))


@lru_cache(4)
def _made(tools: tuple[_Listed, ...], no_tool: tuple[str, ...]) -> Meanings:
    return Meanings([each.tool for each in tools], no_tool)
