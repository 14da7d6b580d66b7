"""Tells “go to the stone” from “throw the stone”: by the verb, with the same thing in both.

An encoder takes any command about a stone for the example that names one. So the slot value is
put into the examples and into other commands with things, and the nearest one decides.
"""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.clauses import bare
from bt_executive.planner.offline.reply_sentences import language_of
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
