"""Which terms of a query must be in the text as they are, and which a similar one may match."""

from __future__ import annotations

from functools import lru_cache
import re

from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, is_quality
from embodied_nav.retrieval.terms_of_text import Term

_SUPERLATIVES = re.compile(
    r'\w+est$|^most$|^least$|^second$|^third$|^(?:fourth|fifth|sixth|seventh|eighth|ninth|tenth)$'
    r'|^eleventh$|^twelfth$|\w+(?:teen|tie)th$'
)
_NO_SUPERLATIVES = frozenset('west forest nest test chest rest guest vest crest harvest'.split())  # noqa: SIM905
_ROMAN = re.compile('(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})')
_CJK_SUPERLATIVES = re.compile(
    '一番|最も|もっとも|另|别的|其他|其它|別の|他の|ほかの|最[大小高低長长古新深浅]|第[一二三四五六七八九十]|[二三四五]番目'
)


def allows_semantic_match(term: Term) -> bool:
    """Return whether a term may be matched by a similar one: green is not red."""
    return _allows_semantic_match(term.text, term.is_distinguishing)


def requires_exact_match(term: Term) -> bool:
    """Return whether a term must be in the text as it is: 7, B12, IV, first, biggest, A."""
    return _requires_exact_match(term.text, term.is_distinguishing)


@lru_cache(maxsize=20_000)
def _allows_semantic_match(text: str, is_distinguishing: bool) -> bool:
    return not _requires_exact_match(text, is_distinguishing) and not is_quality(concepts_of(text))


@lru_cache(maxsize=20_000)
def _requires_exact_match(text: str, is_distinguishing: bool) -> bool:
    if Term(text).is_cjk:
        return bool(_CJK_SUPERLATIVES.match(text))
    if is_distinguishing or len(text) == 1 or any(map(str.isdigit, text)):
        return True
    if _ROMAN.fullmatch(text):
        return True
    return bool(_SUPERLATIVES.match(text)) and text not in _NO_SUPERLATIVES
