"""Segments a run of Japanese or Chinese characters, which has no spaces, into phrases, by BudouX.

Decision 0204 has the reasons.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any


@lru_cache(maxsize=5000)
def phrases_of(language: str, run: str) -> tuple[str, ...]:
    """Return the phrases of a run; cached, because captions repeat each other.

    Args:
        language: 'ja', else it is simplified Chinese.
        run: Characters of one script or of several, without spaces.
    """
    return tuple(_parser(language).parse(run))


@cache
def _parser(language: str) -> Any:
    import budoux  # a wheel of 350 kB; read at the first such text

    return (
        budoux.load_default_japanese_parser()
        if language == 'ja'
        else budoux.load_default_simplified_chinese_parser()
    )
