"""A number, a rank or a letter is matched by itself alone."""

from __future__ import annotations

from embodied_nav.retrieval.terms_of_text import Term
from embodied_nav.retrieval.terms_that_must_match_exactly import requires_exact_match


def test_what_is_most_or_numbered_is_no_matter_of_meaning() -> None:
    assert all(
        requires_exact_match(Term(text)) for text in ('7', 'biggest', 'second', '一番', '最大')
    )
    assert not any(requires_exact_match(Term(text)) for text in ('forest', 'west', 'big', '岩'))
