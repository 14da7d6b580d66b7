"""What things must not be, where they are said to be so in other words. Pure.

"The goal whose net is not ripped": a torn net is one. What would be the answer to the question
without its denial is none to the question with it; of what only may be so, the likelier one stands
behind.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.analysed_description import Said
from embodied_nav.retrieval.asked_words import Asked, joined
from embodied_nav.retrieval.denials_in_question import denies_in_another_language
from embodied_nav.retrieval.unsupported_words import unsupported_of
from embodied_nav.retrieval.word_gains import gains_of
from embodied_nav.retrieval.word_support import Support, supports_of, with_gains
from rover_common.dataclass_replace import replace


def with_denials(
    asked: Asked,
    supports: Sequence[Support],
    said: Sequence[Said],
    rows: NDArray[np.float32],
    meanings: Meanings,
    sure: float,
    learns: int,
) -> list[Support]:
    """Return supports with what things are that they must not be, in whatever words.

    Args:
        asked: The question.
        supports: Of its words by each thing.
        said: What is said of each thing.
        rows: The vectors of their texts.
        meanings: Of single words.
        sure: See `Calibration.sure`.
        learns: Vectors that may be made for this.
    """
    found = [*supports]
    if asked.is_implied or denies_in_another_language(asked.text):  # senza testa is near headless
        return found
    for group in asked.excluded:
        affirmed = tuple(replace(word, denied=False) for word in group)
        positive = Asked(asked.text, (*asked.words, *affirmed))
        meanings.learn_if_quick(positive.compared, learns)
        gains = gains_of(positive, rows, meanings)
        of_it = with_gains(supports_of(positive, said, meanings), gains, True)
        values = [[value for _, value in each.words] for each in of_it]
        odds = (
            np.full((len(said), len(positive.words)), -np.inf)
            if gains is None
            else gains.odds(values)
        )
        chances = (1.0 / (1.0 + np.exp(-odds[:, len(asked.words) :]))).mean(axis=1).tolist()
        unsaid = unsupported_of(positive, of_it, sure)
        texts = {word.text for word in group}
        for at, (support, lacking, mine) in enumerate(zip(of_it, unsaid, said, strict=True)):
            if found[at].unmet or any(map(mine.excludes, affirmed)):
                continue
            is_so = support.says_something and texts.isdisjoint(lacking)
            found[at] = replace(
                found[at],
                unmet=(f'not {joined([word.text for word in group])}',) if is_so else (),
                nears_denied=max(found[at].nears_denied, chances[at]),
            )
    return found
