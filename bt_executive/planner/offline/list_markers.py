"""List markers and arrows of a goal: “1. raise the mast 2. take a picture”, “left → right”."""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.text_arguments import is_quoted

_ARROW = re.compile(r'\s*(?:[→⇒➔➜➡⟶]|-+>|=+>)\s*')
_BULLET = re.compile(r'^\s*[-*•・–]\s+', re.MULTILINE)
_STEP = r'(?:step|schritt|étape|paso|passo|stap|krok|шаг|手順|ステップ|步骤)'
_KANJI = '一二三四五六七八九十'
# Each with the marks of its items in order. An item starts the text, or follows a space or a mark.
_NUMBERED = tuple(
    (re.compile(rf'(?:^|(?<=[\s,.;:!?，、。；：！？]))\s*{pattern}', re.IGNORECASE), marks)
    for pattern, marks in (
        (rf'{_STEP}\s?(\d+)\s?[.:,)：]?\s*', list(map(str, range(1, 21)))),
        (r'[(（]?(\d+)(?:[.:．：](?!\d)|[)）])\s*', list(map(str, range(1, 21)))),
        (r'\(?([a-j])[.)]\s+', list('abcdefghij')),
        (r'([①-⑩])\s*', list('①②③④⑤⑥⑦⑧⑨⑩')),
        (rf'第([{_KANJI}])步?[,，、:：]\s*', list(_KANJI)),
        (rf'([{_KANJI}])[、.．:：]\s*', list(_KANJI)),
    )
)
_BETWEEN = '; '  # as between two clauses
_LEAST_LETTERS = 2  # of an item
_INTRODUCES = re.compile(r'[^\W\d_]{2,}\s*[:：.,，。\n]\s*$')  # “do the following: ”


def without_list_markers(text: str) -> str:
    """Return a goal with its list items, and what arrows separate, as clauses: “a; b; c”.

    Numbers and letters are markers only if there are at least two, they count from the first, and
    each is followed by words. A goal with a quotation is left as it is: the list may be quoted.
    """
    if is_quoted(text):
        return text
    text = _BULLET.sub(_BETWEEN, _ARROW.sub(_BETWEEN, text))
    for pattern, marks in _NUMBERED:
        found = list(pattern.finditer(text))
        if _is_list(text, found, marks):
            text = pattern.sub(_BETWEEN, text)
    return text.removeprefix(_BETWEEN)


def _is_list(text: str, found: Sequence[re.Match[str]], marks: Sequence[str]) -> bool:
    if len(found) < 2 or [each[1].lower() for each in found] != list(marks[: len(found)]):
        return False
    before = text[: found[0].start()]
    ends = [*(each.start() for each in found[1:]), len(text)]
    items = [text[each.end() : end] for each, end in zip(found, ends, strict=True)]
    return (not before.strip() or _INTRODUCES.search(before) is not None) and all(
        sum(map(str.isalpha, item)) >= _LEAST_LETTERS for item in items
    )
