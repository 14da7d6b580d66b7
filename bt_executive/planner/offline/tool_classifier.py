"""Tells which tool a clause asks for: by the tools' examples, and by the clause's numbers.

A text that is an example has the label of that example. Any other text is compared with the
examples as vectors (`example_vectors`). Numbers decide where they say more than the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bt_executive.planner.offline.candidate_names_for_slots import is_a_thing, runs_of
from bt_executive.planner.offline.clause_parsing import bare
from bt_executive.planner.offline.example_vectors import ExampleVectors, Match, Ranked
from bt_executive.planner.offline.neural_networks import load_model
from bt_executive.planner.offline.offered_tools import (
    ENDINGS,
    OfflineTool,
    Tools,
    example_text,
    language_of,
    slot_of,
)
from bt_executive.planner.offline.spelling import correctable_words, corrected
from bt_executive.planner.offline.table_of_examples import (
    NONE,
    LabelledExample,
    frame_of,
    table_of,
)
from bt_executive.planner.offline.text_normalization import normalize
from rover_common.config.settings.skills import SkillExample

_SAME_SLOT = 0.6  # least similarity to an example whose slot value replaces another
_FRAMED = 0.6  # score of a text that is an example with another slot value
_EPSILON = 1e-6
_FITTING = 0.35  # least similarity of an example whose arguments are used
Frame: TypeAlias = tuple[str, str]  # the text before and after a slot
Ends: TypeAlias = dict[int, dict[str, list[str]]]  # tools by what is after a slot, and its length


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
            for length, starts in self._frames_by_start.items()
            for rest, ends in starts.get(text[:length], {}).items()
            for name in ends.get(text[-rest:] if rest else '', ())
            if is_a_thing(text[length : len(text) - rest], length + rest)
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
    def _frames_by_start(self) -> dict[int, dict[str, Ends]]:
        """Return the ends of frames with their tools, by the start of the frame and its length."""
        found: dict[int, dict[str, Ends]] = {}
        for name, slots in self._slots.items():
            for before, after in {frame for _, _, frame in slots if any(frame)}:
                ends = found.setdefault(len(before), {}).setdefault(before, {})
                ends.setdefault(len(after), {}).setdefault(after, []).append(name)
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
