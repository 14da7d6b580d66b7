"""Tells “go to the stone” from “throw the stone”: by the verb, with the same thing in both.

An encoder takes every wish about a stone for the example that names one. So the thing of the wish
is put into the examples and into what else may be done with things, and the nearest one decides.
"""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.clauses import bare
from bt_executive.planner.offline.reply_sentences import language_of
from rover_common.llm.sentence_encoder import sentence_encoder

AHEAD = 0.05  # by how much an example must be nearer than what else may be done
SAME = 0.98  # it is an example
COMPARED = 16  # of these examples with the thing in them, which takes time for each
ENOUGH = 8  # examples with braces: a tool with fewer says too little of what it is not
_BRACES = re.compile(r'\{[^{}]*\}')
_ELSE = (
    *('pick up the {}', 'throw the {}', 'push the {} away', 'break the {}', 'touch the {}'),
    *('lift the {}', 'collect the {}', 'carry the {} away', 'steal the {}', 'paint the {}'),
    *('clean the {}', 'bury the {}', 'cut the {}', 'weigh the {}', 'photograph the {}'),
    *('bring me the {}', '{}を拾って', '{}を投げて', '{}を押して', '{}を壊して', '{}に触って'),
    *('{}を持ち上げて', '{}を運んで', '{}を埋めて', '{}を持ってきて', '{}を塗って', '{}を倒して'),
    *('捡起{}', '扔掉{}', '推开{}', '打碎{}', '摸一下{}', '举起{}', '搬走{}', '埋掉{}'),
    *('把{}拿来', '给{}刷漆', '踢{}'),
)


def does_something_else(text: str, thing: str, examples: Sequence[str]) -> bool:
    """Return whether a text asks for something else to be done with a thing than a tool does.

    Args:
        text: The wish, plain.
        thing: What is named, in it or before; empty: nothing is.
        examples: Of the tool, with braces around the things that they name, the nearest first.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    language = language_of(text)
    own = [each for each in examples if _BRACES.search(each)]
    if len(own) < ENOUGH or not thing or thing == text or thing not in text:
        return False
    own = ([each for each in own if language_of(each) == language] or own)[:COMPARED]
    others = [each for each in _ELSE if language_of(each) == language]
    said = [bare(_BRACES.sub(lambda _: thing, each)) for each in (*own, *others)]
    alike = sentence_encoder().embed(said) @ sentence_encoder().embed([text])[0]
    best, other = int(alike[: len(own)].argmax()), float(alike[len(own) :].max())
    if alike[best] >= SAME or (
        alike[best] >= other and _begins_or_ends_alike(text, said[best], thing)
    ):
        return False
    return bool(alike[best] < other + AHEAD)


def _begins_or_ends_alike(text: str, example: str, thing: str) -> bool:
    """Return whether what stands beside the thing is that of an example, but for a particle."""
    before, _, after = text.partition(thing)
    first, _, last = example.partition(thing)
    if before.strip() or first.strip():
        return before.strip() == first.strip() and last.startswith(after.strip())
    return len(after) > 1 and after[1:] == last[1:]
