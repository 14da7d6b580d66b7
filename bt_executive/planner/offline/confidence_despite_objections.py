"""How sure the networks must be of a plan in spite of an objection, by the kind of objection."""

from __future__ import annotations

from dataclasses import dataclass

NEVER = 2.0  # no confidence is enough
# By kind the confidence from which the networks are right in spite of an objection, as measured
# with utterances that they had not seen (decisions 0214, 0215, 0218). They may be sure of
# “マストを開けるな”, too: what denies an act in its own clause is for the rules alone.
_LEAST_OF_ACTS = {
    **dict.fromkeys(('delay', 'once', 'open', 'second', 'unparsed', 'whether'), NEVER),
    **dict.fromkeys(('contrary', 'cut_off', 'narration', 'repetition'), NEVER),
    **dict.fromkeys(('asking', 'condition', 'ending', 'manner', 'negation', 'past'), NEVER),
    **dict.fromkeys(('opposite', 'question', 'verb'), 0.97),
    **dict.fromkeys(('aside', 'rival'), 0.95),
    'number': 0.9,
    **dict.fromkeys(('far', 'no_tool', 'unlabelled'), 0.75),
}
_LEAST_BESIDE_OTHERS = {
    **_LEAST_OF_ACTS,
    **dict.fromkeys(('asking', 'ending', 'manner', 'negation', 'opposite', 'question'), 0.9),
    **dict.fromkeys(('repetition', 'verb'), 0.9),
    **dict.fromkeys(('aside', 'condition', 'number', 'past'), 0.85),
    'rival': 0.8,
    'second': 0.95,
}
_LEAST_OF_ANSWERS = {
    **_LEAST_OF_ACTS,
    **dict.fromkeys(('manner', 'negation', 'repetition', 'rival', 'whether'), 0.85),
    **dict.fromkeys(('asking', 'condition', 'ending', 'past', 'question'), 0.75),
}


@dataclass(frozen=True)
class Objection:
    """What a rule says against a plan of the networks.

    Attributes:
        kind: Of rule.
        reason: The rest of a sentence why the goal is declined.
        acts: Whether it is said of a tool that does more than answer.
        is_strict: Whether it is said of the wish itself, and not beside it.
    """

    kind: str
    reason: str
    acts: bool = True
    is_strict: bool = True

    @property
    def least(self) -> float:
        """Confidence from which the networks are right in spite of it."""
        strict = _LEAST_OF_ACTS if self.is_strict else _LEAST_BESIDE_OTHERS
        return (strict if self.acts else _LEAST_OF_ANSWERS)[self.kind]
