"""The things that clauses name, as arguments, and whether another verb is meant for them.

“Throw the stone” is no “go to the stone”. An encoder takes any command about a stone for the
example that names one. So the slot value is put into the examples and into other commands with
things, and the nearest one decides.
"""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.candidate_names_for_slots import (
    has_order,
    in_place_of,
    loses_order,
    ros_name,
    text_for,
)
from bt_executive.planner.offline.clause_parsing import Clause, bare
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    is_quoted,
    points_back,
    unquoted,
)
from bt_executive.planner.offline.offered_tools import OfflineTool, language_of, slot_of
from bt_executive.planner.offline.text_normalization import normalize
from bt_executive.planner.offline.tool_classifier import ToolClassifier
from rover_common.llm.sentence_encoder import sentence_encoder

AHEAD = 0.05  # by which an example must be nearer than other commands
SAME = 0.98  # similarity of an example
COMPARED = 16  # examples, which bounds the time
ENOUGH = 8  # examples with a slot; fewer do not show what the tool does not do
_BRACES = re.compile(r'\{[^{}]*\}')
_OTHER_COMMANDS = (
    *('pick up the {}', 'throw the {}', 'push the {} away', 'break the {}', 'touch the {}'),
    *('lift the {}', 'collect the {}', 'carry the {} away', 'steal the {}', 'paint the {}'),
    *('clean the {}', 'bury the {}', 'cut the {}', 'weigh the {}', 'photograph the {}'),
    *('bring me the {}', '{}を拾って', '{}を投げて', '{}を押して', '{}を壊して', '{}に触って'),
    *('{}を持ち上げて', '{}を運んで', '{}を埋めて', '{}を持ってきて', '{}を塗って', '{}を倒して'),
    *('捡起{}', '扔掉{}', '推开{}', '打碎{}', '摸一下{}', '举起{}', '搬走{}', '埋掉{}'),
    *('把{}拿来', '给{}刷漆', '踢{}'),
)


def does_something_else(text: str, thing: str, examples: Sequence[str]) -> bool:
    """Return whether a command is to do something else with a thing than the tool does.

    Args:
        text: The normalized command.
        thing: Its slot value, or one that was named before; empty: there is none.
        examples: Of the tool, with braces around their slots, the nearest first.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    language = language_of(text)
    own = [each for each in examples if _BRACES.search(each)]
    if len(own) < ENOUGH or not thing or thing == text or thing not in text:
        return False
    own = ([each for each in own if language_of(each) == language] or own)[:COMPARED]
    others = [each for each in _OTHER_COMMANDS if language_of(each) == language]
    texts = [bare(_BRACES.sub(lambda _: thing, each)) for each in (*own, *others)]
    similarities = sentence_encoder().embed(texts) @ sentence_encoder().embed([text])[0]
    best, other = int(similarities[: len(own)].argmax()), float(similarities[len(own) :].max())
    if similarities[best] >= SAME or (
        similarities[best] >= other and _has_same_frame(text, texts[best], thing)
    ):
        return False
    return bool(similarities[best] < other + AHEAD)


def _has_same_frame(text: str, example: str, thing: str) -> bool:
    """Return whether a text has the frame of an example around the thing, but for a particle."""
    before, _, after = text.partition(thing)
    first, _, last = example.partition(thing)
    if before.strip() or first.strip():
        return before.strip() == first.strip() and last.startswith(after.strip())
    return len(after) > 1 and after[1:] == last[1:]


_LONGEST = 200  # characters of a text argument


class NamedThings:
    """What the clauses of one goal name.

    Args:
        alone: Whether the goal has one clause.
    """

    def __init__(self, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self._classifier, self._alone, self._goal = classifier, alone, goal
        self._last = ''  # what was named last: “there” is where that is

    def forget(self) -> None:
        """Forget the last name: “there” is where something without a name was found."""
        self._last = ''

    def text(self, clause: Clause, tool: OfflineTool, slot_value: str | None) -> str:
        """Return the text argument of a tool; empty: nothing was named.

        `slot_value`: Predicted for the clause; None: no network was used.
        """
        if slot_value is None:
            return self._from_examples(clause, tool)
        return self._from_slot(clause, tool, slot_value)

    def as_called(self, name: str, clause: Clause, tool: OfflineTool) -> str:
        """Return the explicit name in a clause (“called …”) in place of a name for a slot."""
        if name and tool.has_slots and not is_quoted(clause.text):
            whole = [normalize(self._goal)] if self._alone else []
            return in_place_of(name, clause.text, *whole)
        return name

    def why_none(self, clause: Clause, text: str, tool: OfflineTool) -> str:
        """Return why a text is no argument for the tool; empty: it is one."""
        if unquoted(clause.text) != clause.text or not tool.has_slots:
            return ''
        is_whole = text == clause.text and tool.text_argument in tool.required
        examples = self._classifier.examples_with_slots(clause.text, tool.name)
        if (is_whole and not has_order(text)) or does_something_else(
            clause.text, self._last, examples
        ):
            return f'no tool covers “{clause.text:.60}”'
        chooses = text not in (clause.text, clause.surface) and asks_which(text)
        return f'it cannot choose “{text:.60}” itself' if chooses else ''

    def _from_examples(self, clause: Clause, tool: OfflineTool) -> str:
        """Return the text argument; for a tool without slots the clause itself."""
        if not tool.has_slots:
            return (self._goal.strip() if self._alone else clause.surface)[:_LONGEST]
        text = text_for(tool, clause.text)
        languages = {language_of(each.say) for each in tool.examples if slot_of(each)}
        language = language_of(clause.text)  # 'en': any language in letters
        if text == clause.text and (language == 'en' or language not in languages):
            text = self._classifier.slot_value_in(clause.text, tool.name) or text
        self._last = text or self._last
        return clause.surface[:_LONGEST] if loses_order(clause.text, text) else self._last

    def _from_slot(self, clause: Clause, tool: OfflineTool, slot_value: str) -> str:
        """Return the text argument of a clause with a predicted slot; empty: there is none."""
        slots = [each for each in map(slot_of, tool.examples) if each]
        if slots and all(each.startswith('/') for each in slots):
            return next(
                (name for text in (clause.text, self._goal) if (name := ros_name(text))), ''
            )
        if not slots or is_quoted(clause.text):
            return self._from_examples(clause, tool)
        if points_back(clause.text):
            return self._last or slot_value
        self._last = slot_value or self._last
        return clause.surface[:_LONGEST] if loses_order(clause.text, slot_value) else slot_value


# Asks which of several is meant; no name.
_WHICH = re.compile(
    r'\b(?:which(?:ever)?|what(?:ever)?|whose|where|welche\w*|quel\w*|qué|cuál\w*|qual|quale|quali|welke|który|które|która'
    r'|какой|какую|hangi)\b|どの|どれ|どちら|哪|什么|어느|어떤|무슨'
)


def asks_which(text: str) -> bool:
    """Return whether a text asks which of several is meant."""
    return _WHICH.search(text) is not None
