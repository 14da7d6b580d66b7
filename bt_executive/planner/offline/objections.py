"""What rules say against a plan of the networks, and how sure these must be in spite of it."""

from __future__ import annotations

from dataclasses import dataclass

NEVER = 2.0  # no confidence is enough
# By kind the confidence from which the networks are right in spite of an objection, as measured
# with utterances that they had not seen (decision 0214). They are sure of “マストを開けるな”,
# too: what denies an act, or sets a condition for it, is for the rules alone.
_LEAST_OF_ACTS = {
    **dict.fromkeys(('delay', 'once', 'open', 'second', 'unparsed'), NEVER),
    **dict.fromkeys(('contrary', 'cut_off', 'narration', 'repetition', 'rival'), NEVER),
    **dict.fromkeys(('asking', 'condition', 'ending', 'manner', 'negation', 'past'), NEVER),
    **dict.fromkeys(('opposite', 'question', 'verb'), 0.97),
    'aside': 0.95,
    **dict.fromkeys(('far', 'no_tool', 'unlabelled'), 0.75),
}
_LEAST_OF_ANSWERS = {
    **_LEAST_OF_ACTS,
    **dict.fromkeys(('manner', 'repetition', 'rival'), 0.85),
    **dict.fromkeys(('asking', 'condition', 'ending', 'negation', 'past', 'question'), 0.75),
}


@dataclass(frozen=True)
class Objection:
    """What a rule says against a plan of the networks.

    Attributes:
        kind: Of rule.
        reason: The rest of a sentence why the goal is declined.
        acts: Whether it is said of a tool that does more than answer.
    """

    kind: str
    reason: str
    acts: bool = True

    @property
    def least(self) -> float:
        """Confidence from which the networks are right in spite of it."""
        return (_LEAST_OF_ACTS if self.acts else _LEAST_OF_ANSWERS)[self.kind]
