"""What a behaviour's status says to a person: above all, whether a failure is a refusal.

A condition that has nothing to say fails in a behavior tree, and with it the branch above it: that
is how the next branch gets its turn. Painted red, a tree in good health looks broken. So a failure
is shown as skipped unless a behaviour below it failed with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

REFUSED, SKIPPED = 'F', 'N'
# What conditions say that were asked and had nothing to say.
NOTHING_TO_SAY = frozenset({'', 'no', 'None', '[]', 'nothing proposed'})


def letters_for_people(
    parents: Sequence[int | None], letters: Sequence[str], words: Sequence[str]
) -> list[str]:
    """The letters I, R, S, F of behaviours, with N for a failure that is no refusal.

    `parents`: index of each behaviour's parent, parents before children.
    """
    told = list(letters)
    refused = [False] * len(told)
    has_children = {parent for parent in parents if parent is not None}
    for index in range(len(told) - 1, -1, -1):
        if told[index] != 'F':
            continue
        own = index not in has_children and words[index] not in NOTHING_TO_SAY
        if not own and not refused[index]:
            told[index] = SKIPPED
            continue
        parent = parents[index]
        if parent is not None:
            refused[parent] = True
    return told


def changed(before: Sequence[str], after: Sequence[str]) -> Mapping[int, str]:
    """Index → letter or words, of those that are other than before."""
    return {
        index: new
        for index, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new
    }
