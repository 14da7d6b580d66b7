"""The training samples of the offline model's `ToolModel`: examples, utterances, compositions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
import math
from pathlib import Path
import random
import re
from typing import Any

import yaml

from bench.models.negated_wishes import ENDS, LANGUAGES, negated_wish, wish_taken_back
from bt_executive.planner.offline.clause_parsing import parse_goal
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    in_execution_order,
    without_list_markers,
)
from bt_executive.planner.offline.courtesy_and_asides import read_sentences
from bt_executive.planner.offline.intents_by_networks import model_input
from bt_executive.planner.offline.neural_networks import NO_TOOL, ToolModel, label_of, tool_of
from bt_executive.planner.offline.offered_tools import Tools, example_text, language_of, slot_of
from bt_executive.planner.offline.text_normalization import normalize

FOLDER = Path(__file__).parent
_LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)  # five times as fast
COMPOSED_SAMPLES, DECLINED_SAMPLES = 10000, 3000  # for each network; the latter of each kind
_EVERY = 3  # of the utterances every third is searched for asides
UNKNOWN = -1  # of a tag
_LEAST_OF_A_LABEL = 8  # examples with the same arguments, which have a label of their own
_LONGEST, _MOST_INTENTS = 80, 8  # characters of an utterance that is composed; intents of a result
_AUTHOR_WEIGHT = 3  # how often an author's utterance is drawn for each time that an example is
_LEAST_OF_A_LANGUAGE = 25
_JOINS = {
    'ja': ('、', '。', '、それから', '、次に', '。それから', '、そのあと', 'したら、'),
    'zh': (',', '。', ',然后', '然后', '再', ',接着', ',再', ',完了', '', '。接着'),
    'en': (
        *(', then ', ' and ', ', ', '. ', ' and then ', '; ', ' then ', ' ', '. then ', '! '),
        *('. after that, ', ', after that ', ' - ', ', and '),
    ),
    'de': (', dann ', ' und ', ', ', '. ', ' und dann ', ' dann ', '. danach '),
    'fr': (', puis ', ' et ', ', ', '. ', ' puis ', ' et ensuite ', '. ensuite '),
    'es': (', luego ', ' y ', ', ', '. ', ' y luego ', ' y después ', '. después '),
    'it': (', poi ', ' e ', ', ', '. ', ' e poi ', '. poi '),
    'pt': (', depois ', ' e ', ', ', '. ', ' e depois ', ' e a seguir ', '. depois '),
    'nl': (', dan ', ' en ', ', ', '. ', ' en dan '),
    'pl': (', potem ', ' i ', ', ', '. ', ' a potem '),
    'ru': (', потом ', ' и ', ', ', '. ', ', затем '),
    'ko': (', ', '. ', ' 그리고 ', ' 그다음 '),
    'tr': (', sonra ', ' ve ', ', ', '. '),
}
_UNSPACED = ('ja', 'zh')
# Around asides, by whether the language is unspaced.
_BESIDE = {True: ('、', '。', ',', '!'), False: (', ', '. ', '; ', ' - ', ' ', '! ')}
_CLAUSE = re.compile(r'[^,.!?。、;]+[,.!?。、;]*\s*')
_LEAST_OF_AN_ASIDE = 3  # characters
_ACTS = frozenset((  # of which a denial is learned
    *('mast_open', 'mast_close', 'mast_rotate', 'capture_and_score', 'watch', 'wait', 'remember'),
    *('move_nudge', 'move_forward', 'turn_left', 'turn_right', 'navigate_to', 'go_to_remembered'),
))  # fmt: skip


@dataclass(frozen=True)
class Utterance:
    """A goal as an author wrote it, annotated with its calls."""

    author: str
    lang: str
    text: str
    calls: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class TrainingSample:
    """A labelled text, as a network reads it.

    Attributes:
        text: Its words.
        labels: What it asks for, in order; none: it is an aside.
        clause_starts: By character: whether a clause starts with it, or `UNKNOWN`.
        slots: By character: whether it belongs to the name of a thing, or `UNKNOWN`.
        author: Of the utterance; empty: it is one of our examples; `*`: it is composed.
        lang: Its language.
    """

    text: str
    labels: tuple[str, ...]
    clause_starts: tuple[int, ...]
    slots: tuple[int, ...]
    author: str = ''
    lang: str = 'en'


def read_wordings(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a file: `text`, perhaps `lang`, and `calls`."""
    found: list[dict[str, Any]] = yaml.load(path.read_text(encoding='utf-8'), Loader=_LOADER)
    return found


def read_utterances(folder: Path = FOLDER, pattern: str = 'wordings_*.yaml') -> list[Utterance]:
    """Return all utterances of a folder, each once, by file."""
    utterances: dict[str, Utterance] = {}
    for file in sorted(folder.glob(pattern)):
        for entry in read_wordings(file):
            calls = tuple(entry.get('calls') or ())
            utterances.setdefault(
                entry['text'], Utterance(file.stem, entry.get('lang', ''), entry['text'], calls)
            )
    return list(utterances.values())


class TrainingSet:
    """The training samples for one set of tools.

    Its labels are of the tools that authors ask for: for others there is too little evidence.

    Args:
        tools: With their examples.
        no_tool: Examples of what none of them does.
        utterances: By authors.
    """

    def __init__(
        self, tools: Tools, no_tool: Sequence[str], utterances: Sequence[Utterance]
    ) -> None:
        self._tools = tools
        self._arguments = {name for tool in tools.values() for name in tool.numbers}
        used = {call['tool'] for each in utterances for call in each.calls}
        self._argument_labels = _argument_labels(
            {name: tool for name, tool in tools.items() if name in used}
        )
        self.labels = [
            *(
                label
                for tool in sorted(used)
                for label in (tool, *self._argument_labels.get(tool, ()))
            ),
            NO_TOOL,
        ]
        self.of_examples = list(self._example_samples(no_tool))
        self.of_authors = [self._author_sample(each) for each in utterances]

    def compose(self, model: ToolModel, seed: int) -> list[TrainingSample]:
        """Return composed samples: sequences of intents, and intents with asides around them.

        Args:
            model: Finds the asides in utterances.
            seed: Of the random numbers.
        """
        asides = _asides_in(self.of_authors[seed % _EVERY :: _EVERY], model)
        samples = [*self.of_examples, *self.of_authors]
        negated = list(_reworded(samples, negated_wish, (), seed))
        taken_back = list(_reworded(samples, wish_taken_back, (NO_TOOL,), seed))
        return [
            *_composed([*samples, *asides, *negated[::2], *taken_back], seed),
            *(replace(each, labels=(NO_TOOL,)) for each in negated),
            *taken_back,
        ]

    def model_text(self, text: str) -> str:
        """Return a text as a network reads it."""
        for name, tool in self._tools.items():
            text = text.replace(name, tool.spaced)
        return model_input(
            parse_goal(in_execution_order(normalize(without_list_markers(text))), self._arguments)[
                0
            ]
        )

    def _author_sample(self, utterance: Utterance) -> TrainingSample:
        text = self.model_text(utterance.text)
        things = [
            value
            for call in utterance.calls
            for name, value in call.get('arguments', {}).items()
            if name in ('text', 'name')
        ]
        return TrainingSample(
            text,
            tuple(map(self._label, utterance.calls)) or (NO_TOOL,),
            (UNKNOWN,) * len(text),
            self._slots(text, things),
            utterance.author,
            utterance.lang,
        )

    def _label(self, call: Mapping[str, Any]) -> str:
        """Return the label of a call: the last one whose arguments it has, or its tool."""
        given = dict(call.get('arguments', {}))
        fitting = [
            label
            for label, arguments in self._argument_labels.get(call['tool'], {}).items()
            if {**arguments, **given} == given or _implies(given, arguments)
        ]
        tool: str = call['tool']
        return fitting[-1] if fitting else tool

    def _example_samples(self, no_tool: Sequence[str]) -> Iterator[TrainingSample]:
        rng = random.Random(1)
        things: dict[str, list[str]] = {}
        for example in (each for tool in self._tools.values() for each in tool.examples):
            slot = slot_of(example)
            if slot and not slot.startswith('/'):
                things.setdefault(language_of(slot), []).append(slot)
        for name in sorted(
            {label.partition(' ')[0] for label in self.labels} & self._tools.keys()
        ):
            for example in self._tools[name].examples:
                label = label_of(name, example.args)
                labels = (label if label in self.labels else name,)
                slot = slot_of(example)
                thing = slot if not slot.startswith('/') else ''
                yield self._own_sample(example_text(example), labels, thing)
                if thing:
                    other = rng.choice(things[language_of(slot)])
                    text = example.say.replace(f'{{{slot}}}', other)
                    yield self._own_sample(text, labels, other)
        for text in (*no_tool, *read_sentences('no_tool.txt'), *read_sentences('requests.txt')):
            yield self._own_sample(text, (NO_TOOL,))
        for text in read_sentences('asides.txt'):
            yield self._own_sample(text, ())

    def _own_sample(
        self, sentence: str, labels: tuple[str, ...], thing: str = ''
    ) -> TrainingSample:
        text = self.model_text(sentence)
        slots = self._slots(text, [thing] if thing else [])
        return TrainingSample(text, labels, (0,) * len(text), slots, '', language_of(sentence))

    def _slots(self, text: str, things: Sequence[str]) -> tuple[int, ...]:
        tags = [0] * len(text)
        for thing in things:
            forms = (normalize(thing), self.model_text(thing))
            written = next((form for form in forms if form in text), None)
            if written is None:
                return (UNKNOWN,) * len(text)
            for found in re.finditer(re.escape(written), text):
                tags[found.start() : found.end()] = [1] * len(written)
        return tuple(tags)


def _argument_labels(tools: Tools) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return by tool the labels with arguments that many of its examples have."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, tool in tools.items():
        labelled = [(label_of(name, each.args), each.args) for each in tool.examples if each.args]
        labels = [label for label, _ in labelled]
        frequent: dict[str, Mapping[str, Any]] = {
            label: arguments
            for label, arguments in labelled
            if labels.count(label) >= _LEAST_OF_A_LABEL
        }
        if frequent:
            found[name] = frequent
    return found


def _implies(given: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether a call has the arguments of a label, except switches that are on."""
    needed = {name: value for name, value in arguments.items() if value is not True}
    return bool(needed) and needed.items() <= given.items()


def _asides_in(samples: Sequence[TrainingSample], model: ToolModel) -> Iterator[TrainingSample]:
    """Yield the clauses of utterances at which the model emits none of their labels."""
    for sample in samples:
        if sample.labels == (NO_TOOL,):
            continue
        prediction, _ = model.predict(sample.text)
        if prediction.labels != sample.labels:
            continue
        for clause in _CLAUSE.finditer(sample.text):
            text = clause[0].strip()
            is_aside = not any(
                clause.start() <= position < clause.end() for position in prediction.positions
            )
            if is_aside and len(text) >= _LEAST_OF_AN_ASIDE and not re.search(r'\d', text):
                tags = (0,) * len(text)
                yield TrainingSample(text, (), tags, tags, sample.author, sample.lang)


def _composed(samples: Sequence[TrainingSample], seed: int) -> Iterator[TrainingSample]:
    rng = random.Random(seed)
    intents: dict[str, list[TrainingSample]] = {}
    asides: dict[str, list[TrainingSample]] = {}
    declined: dict[str, list[TrainingSample]] = {}
    for sample in samples:
        if not sample.labels:
            asides.setdefault(sample.lang, []).append(sample)
        elif sample.labels == (NO_TOOL,):
            declined.setdefault(sample.lang, []).extend([sample] if sample.author else [])
        elif len(sample.text) < _LONGEST:
            weight = _AUTHOR_WEIGHT if sample.author else 1
            intents.setdefault(sample.lang, []).extend([sample] * weight)
    langs = [lang for lang, known in intents.items() if len(known) >= _LEAST_OF_A_LANGUAGE]
    weights = [math.sqrt(len(intents[lang])) for lang in langs]
    count = 0
    while count < COMPOSED_SAMPLES:
        (lang,) = rng.choices(langs, weights)
        kind = rng.random()
        chosen = rng.choices(intents[lang], k=rng.choice((2, 2, 2, 3, 3, 4)) if kind < 0.55 else 1)
        if kind > 0.4 and asides.get(lang):
            for _ in range(rng.choice((1, 1, 2))):
                chosen.insert(rng.randint(0, len(chosen)), rng.choice(asides[lang]))
        if kind > 0.9 and declined.get(lang):
            chosen.insert(rng.randint(0, len(chosen)), rng.choice(declined[lang]))
        if len(chosen) > 1 and sum(len(each.labels) for each in chosen) <= _MOST_INTENTS:
            count += 1
            yield _concatenated(chosen, lang, rng)


def _reworded(
    samples: Sequence[TrainingSample],
    reword: Callable[[str, str, random.Random], str],
    labels: tuple[str, ...],
    seed: int,
) -> Iterator[TrainingSample]:
    """Yield intents in other words that deny them or take them back, labelled so."""
    rng = random.Random(seed)
    short = [
        each
        for each in samples
        if len(each.labels) == 1
        and each.labels != (NO_TOOL,)
        and len(each.text) < _LONGEST / 2
        and each.lang in LANGUAGES
        and tool_of(each.labels[0]) in _ACTS
    ]
    for sample in rng.choices(short, k=DECLINED_SAMPLES):
        text = reword(sample.text, sample.lang, rng)
        tags = (UNKNOWN if labels else 0,) * len(text)
        yield TrainingSample(text, labels, tags, tags, '*', sample.lang)


def _concatenated(
    samples: Sequence[TrainingSample], lang: str, rng: random.Random
) -> TrainingSample:
    text, clause_starts, slots, labels = '', list[int](), list[int](), list[str]()
    for index, sample in enumerate(samples):
        starts = list(sample.clause_starts)
        if text:
            is_aside = not sample.labels or not samples[index - 1].labels
            joins = _BESIDE[lang in _UNSPACED] if is_aside else _JOINS.get(lang, _JOINS['en'])
            join = rng.choice(joins)
            stem = text.rstrip(ENDS) or text
            if '?' in text[len(stem) :] and rng.random() < 0.7:
                stem, join = text, '' if lang in _UNSPACED else ' '
            text = stem + join
            clause_starts = clause_starts[: len(stem)] + [UNKNOWN] * len(join)
            slots = slots[: len(stem)] + [0] * len(join)
            starts[:1] = [1]
        if not sample.labels:
            starts[1:] = [0] * (len(starts) - 1)
        text += sample.text
        clause_starts += starts
        slots += sample.slots
        labels += sample.labels
    return TrainingSample(text, tuple(labels), tuple(clause_starts), tuple(slots), '*', lang)
