"""Tells which tool a clause asks for: by the tools' examples, and by the clause's numbers.

A text that is an example has the label of that example. Any other text is compared with the
examples as vectors (`example_vectors`). Numbers decide where they say more than the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
import re
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bt_executive.planner.offline.argument_filling import is_a_thing, runs_of, text_for
from bt_executive.planner.offline.clause_parsing import PLACE, Clause, bare
from bt_executive.planner.offline.example_vectors import (
    NONE,
    POLITE,
    SURE,
    ExampleVectors,
    LabelledExample,
    Match,
    Ranked,
    frame_of,
    table_of,
)
from bt_executive.planner.offline.modifiers import is_rate
from bt_executive.planner.offline.neural_networks import load_model
from bt_executive.planner.offline.number_and_unit_words import normalize
from bt_executive.planner.offline.offered_tools import (
    ENDINGS,
    OfflineTool,
    Tools,
    example_text,
    language_of,
    slot_of,
)
from bt_executive.planner.offline.spelling import correctable_words, corrected
from rover_common.config.settings.skills import SkillExample

_SAME_SLOT = 0.6  # least similarity to an example whose slot value replaces another
_FRAMED = 0.6  # score of a text that is an example with another slot value
_EPSILON = 1e-6
_FITTING = 0.35  # least similarity of an example whose arguments are used
Frame: TypeAlias = tuple[str, str]  # the text before and after a slot


class ToolClassifier:
    """The examples of a set of tools. The sentence encoder is loaded for the first other text."""

    def __init__(self, tools: Sequence[OfflineTool], no_tool: Sequence[str]) -> None:
        self._examples = table_of(tools, no_tool)
        models = {each.model for each in tools if each.model}
        self.model = load_model(models.pop()) if len(models) == 1 else None
        self._switches = frozenset(tool.name for tool in tools if tool.switch)
        self._tools = tuple(tool.name for tool in tools)
        self._moves = frozenset(tool.name for tool in tools if tool.resources)
        self._labels = sorted({each.name for each in self._examples} | {NONE})
        own = [
            LabelledExample(tool.name, each, bare(example_text(each)))
            for tool in tools
            for each in tool.examples
        ]
        exact = {each.text: each for each in reversed([*own, *self._examples])}
        shared = {each.text for each in self._examples if exact[each.text].name != each.name}
        self._exact = {text: each for text, each in exact.items() if text not in shared}

    @cached_property
    def _indices(self) -> dict[str, NDArray[np.int64]]:
        """Return the indices of the examples of each label."""
        found: dict[str, list[int]] = {each: [] for each in self._tools}
        for at, each in enumerate(self._examples):
            found.setdefault(each.name, []).append(at)
        return {name: np.array(indices, np.int64) for name, indices in found.items()}

    @cached_property
    def _slots(self) -> dict[str, list[tuple[int, str, Frame]]]:
        """Return by tool the examples with a slot: index, slot value and frame."""
        found: dict[str, list[tuple[int, str, Frame]]] = {}
        for at, each in enumerate(self._examples):
            if slot := slot_of(each.example):
                found.setdefault(each.name, []).append((at, slot, frame_of(each)))
        return found

    def labels_arguments(self, tool: str) -> bool:
        """Return whether the model has labels of a tool with arguments."""
        labels = self.model.labels if self.model else ()
        return any(label.startswith(f'{tool} ') for label in labels)

    def are_examples(self, texts: Iterable[str]) -> bool:
        """Return whether each text is an example, so that no encoder is needed."""
        return all(each in self._exact for each in texts)

    def prefetch(self, texts: Iterable[str], model_text: str) -> None:
        """Encode in one batch the texts to be matched, and the text that the model will read.

        Each batch reads all weights of the encoder, which takes most of the time.

        Raises:
            ModelError: As `match`.
        """
        others = [each for each in texts if each not in self._exact]
        self._vectors.match(others, also=[model_text])

    def match(self, texts: Sequence[str]) -> list[Match]:
        """Return the match of each text.

        Raises:
            ModelError: The sentence encoder is needed, and is not there.
        """
        others = list(dict.fromkeys(each for each in texts if each not in self._exact))
        found = self._vectors.match(others) if others else {}
        framed = {text: self._framed(text, match) for text, match in found.items()}
        return [framed.get(each) or self._exact_match(each) for each in texts]

    def _framed(self, text: str, match: Match) -> Match:
        """Return the match of a text that may be an example with another slot value.

        The value says nothing about the tool: “go to the north camp” is no “north camp here”.
        """
        fitting = {
            name
            for length, frames in self._frames_by_start.items()
            for name, after in frames.get(text[:length], ())
            if text.endswith(after)
            and is_a_thing(text[length : len(text) - len(after)], length + len(after))
        }
        first = [each for each in match.ranked if each.name in fitting and each.score]
        if len(fitting) != 1 or not first or (first[0] == match.best and match.is_sure):
            return match
        score = max(first[0].score, _FRAMED)
        most = score - match.margin - _EPSILON
        others = (each for each in match.ranked if each.name not in fitting)
        rest = (Ranked(each.name, min(each.score, most)) for each in others)
        return replace(match, ranked=(Ranked(first[0].name, score), *rest))

    @cached_property
    def _frames_by_start(self) -> dict[int, dict[str, list[tuple[str, str]]]]:
        """Return tools and the ends of their frames, by the start of the frame and its length."""
        found: dict[int, dict[str, list[tuple[str, str]]]] = {}
        for name, slots in self._slots.items():
            for before, after in {frame for _, _, frame in slots if any(frame)}:
                found.setdefault(len(before), {}).setdefault(before, []).append((name, after))
        return found

    def correct_spelling(self, text: str) -> str:
        """Return a normalized text with typing errors corrected to words of the examples.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        return corrected(text, self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        texts = (normalize(each.example.say) for each in self._examples)
        return frozenset(word for text in texts for word in correctable_words(text))

    def example_for(self, text: str, tool: str, modifiers: frozenset[str]) -> SkillExample | None:
        """Return the tool's nearest example that has the modifiers of a text; None: none has."""
        exact = self._exact.get(text)
        if exact is not None and exact.name == tool:
            return exact.example
        indices = self._indices[tool]
        similarities = self._vectors.similarities(text)[indices]
        order = np.argsort(-similarities, kind='stable')
        nearest = (self._examples[indices[at]] for at in order if similarities[at] >= _FITTING)
        return next((each.example for each in nearest if modifiers <= each.modifiers), None)

    def examples_with_slots(self, text: str, tool: str) -> list[str]:
        """Return the tool's examples with a slot, the nearest to a text first."""
        similarities = self._vectors.similarities(text)

        def rank(slot: tuple[int, str, Frame]) -> tuple[bool, float]:
            at, _, (before, after) = slot
            fits = before + after and text.startswith(before) and text.endswith(after)
            return not fits, -similarities[at]

        ordered = sorted(self._slots.get(tool, ()), key=rank)
        return list(dict.fromkeys(self._examples[at].example.say for at, _, _ in ordered))

    def suggestion(self, text: str, tool: str) -> SkillExample | None:
        """Return the tool's example nearest to a text, in the text's language if it has one."""
        indices = self._indices[tool]
        language = language_of(text)
        same = [at for at in indices if language_of(self._examples[at].example.say) == language]
        similarities = self._vectors.similarities(text)
        best = max(same or indices, key=lambda at: float(similarities[at]), default=None)
        return None if best is None else self._examples[best].example

    def slot_value_in(self, text: str, tool: str) -> str:
        """Return the words of a text in the place of an example's slot; empty: not sure.

        Each run of words is tried: with the example's own value in its place the text is most
        similar to the example.
        """
        slots = self._slots.get(tool)
        runs = runs_of(text)
        if not slots or not runs:
            return ''
        similarities = self._vectors.similarities(text)
        nearest, slot, _ = max(slots, key=lambda each: similarities[each[0]])
        variants = [f'{text[:start]} {slot} {text[end:]}' for start, end in runs]
        scores = self._vectors.similarities_to(variants, nearest)
        best = int(scores.argmax())
        start, end = runs[best]
        return text[start:end] if scores[best] >= _SAME_SLOT else ''

    def _exact_match(self, text: str) -> Match:
        name = self._exact[text].name
        others = (Ranked(each, 0.0) for each in self._labels if each != name)
        return Match(text, (Ranked(name, 1.0), *others), 1.0)

    @cached_property
    def _vectors(self) -> ExampleVectors:
        return ExampleVectors(self._examples, self._labels, self._switches, self._moves)

    def are_asides(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it is an aside.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        return self._vectors.are_asides(texts)


def classifier_for(tools: Tools, no_tool: tuple[str, ...] = ()) -> ToolClassifier:
    """Return the classifier for these tools; those of the latest few sets are cached."""
    return _classifier(tuple(each for each in tools.values() if each.name not in ENDINGS), no_tool)


_classifier = lru_cache(4)(ToolClassifier)


_WITH_AMOUNT = 0.42  # least score of a tool that takes the amounts, which small talk has not
_WORDS_WITH_A_NAME = 3  # in a language without examples: a verb, a preposition, a name
_TOP = 3
_COORDINATES = 2  # bare numbers that are x and y
_CLEAR_SECOND = 0.6  # least score of a tool in place of one that lacks its amount
_NEXT_BEST = 0.12  # how far behind the best a tool may be that takes the amounts
_A_PLACE = re.compile(
    r'(?:the |a )?(?:point|spot|position|location|place|coordinates?|grid|origin|punto|punkt)'
    r'|(?:の)?(?:地点|場所|ところ|位置|座標|点|原点)|(?:那个?|这个?)?(?:点|地点|位置|坐标|地方|原点)'
)
_ASKED = re.compile(r'[?吗]')


def is_measured(clause: Clause, match: Match) -> bool:
    """Return whether the amounts of a clause decide between tools: small talk has no units."""
    return (
        any(each.unit for each in clause.amounts)
        and match.best.score >= _WITH_AMOUNT
        and match.margin < 1.0
    )


class LikelyTools:
    """Ranks the offered tools for a clause by its numbers."""

    def __init__(self, tools: Tools, classifier: ToolClassifier) -> None:
        self._tools, self._classifier = tools, classifier

    def weighed(self, match: Match, clause: Clause) -> tuple[Match, Clause]:
        """Return a match weighed by the modifiers and amounts of its clause, and the clause."""
        match = self._with_modifiers(match, clause)
        match, clause = self._with_rate(match, clause)
        match = self._without_amounts(match, clause)
        return self._with_place(match, clause), clause

    def near(self, match: Match, clause: Clause) -> list[str]:
        """Return the best tool, and of a clause with amounts all tools that are near."""
        if match.best.name not in self._tools:
            return []
        least = max(match.best.score - max(_NEXT_BEST, match.margin), SURE)
        near = [each.name for each in match.ranked if each.score >= least]
        if is_measured(clause, match):
            near = [each for each in near if each not in (NONE, POLITE)]
        if clause.amounts and set(near) <= set(self._tools):
            return near
        return near[:1]

    def names_another(self, clause: Clause) -> str:
        """Return the tool with slots that a clause with coordinates asks for without them."""
        if PLACE not in clause.text:
            return ''
        (match,) = self._classifier.match([' '.join(clause.text.replace(PLACE, ' ').split())])
        other = self._tools.get(match.best.name)
        if other is None or not match.is_sure or not other.has_slots:
            return ''
        name = text_for(other, match.text)
        if _A_PLACE.fullmatch(name):
            return ''
        if name == match.text.strip() and len(name.split()) < _WORDS_WITH_A_NAME:
            return ''  # in a language without examples: a verb and “to”
        return other.name if name else ''

    def _with_modifiers(self, match: Match, clause: Clause) -> Match:
        """Return a match without the tools that have no example of a question or an ending."""
        if clause.modifiers not in ({'question'}, {'ending'}):
            return match
        fitting = [
            each
            for each in match.ranked
            if each.name not in self._tools
            or self._classifier.example_for(clause.text, each.name, clause.modifiers) is not None
        ]
        return replace(match, ranked=tuple(fitting)) if len(fitting) > 1 else match

    def _with_rate(self, match: Match, clause: Clause) -> tuple[Match, Clause]:
        """Return a match of a clause with a rate for a tool that takes rates, if one is near."""
        if not clause.amounts or not any(map(is_rate, clause.modifiers)):
            return match, clause
        for at, each in enumerate(match.ranked[:_TOP]):
            tool = self._tools.get(each.name)
            if tool and tool.rates and each.score >= SURE:
                ignored = {'question'} if not _ASKED.search(clause.masked) else set()
                # “say every 5 s what is there”
                clause = replace(clause, modifiers=clause.modifiers - ignored)
                return replace(match, ranked=match.ranked[at:]), clause
        return match, clause

    def _without_amounts(self, match: Match, clause: Clause) -> Match:
        """Return a match without the best tool if it lacks its amount, and the second is clear."""
        tool = self._tools.get(match.best.name)
        if clause.amounts or tool is None or len(match.ranked) < _TOP:
            return match
        second, third = match.ranked[1:_TOP]
        if second.name not in self._tools:
            return match
        needs_number = any(tool.properties[each].get('type') == 'number' for each in tool.required)
        is_clear = second.score >= _CLEAR_SECOND and second.score - third.score >= match.margin
        return replace(match, ranked=match.ranked[1:]) if needs_number and is_clear else match

    def _with_place(self, match: Match, clause: Clause) -> Match:
        """Return a match of a clause with coordinates for a near tool that takes them."""
        keys = {each.key for each in clause.amounts if each.key}
        bare = [each for each in clause.amounts if not each.key and not each.unit]
        if not {'x', 'y'} <= keys and (keys or len(bare) != _COORDINATES):
            return match
        for at, each in enumerate(match.ranked[:_TOP]):
            tool = self._tools.get(each.name)
            if tool and {'x', 'y'} <= tool.required and each.score >= SURE:
                is_other = self.names_another(clause)
                return match if is_other else replace(match, ranked=match.ranked[at:])
        return match
