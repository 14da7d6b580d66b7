"""Rewrites the negations of a query into forms that `terms_of_text` parses. Pure.

"Not the red mug, the other one" becomes the mug other than the red mug, and
木头的那个不要，另一条船 becomes 不是木头的，船.
"""

from __future__ import annotations

import re

from embodied_nav.retrieval.japanese_and_chinese_terms import ZH_MEASURES
from embodied_nav.retrieval.terms_of_text import is_english

_NEGATES = re.compile(
    r"\b(?:not|except|other than|apart from|instead of|isn't|aren't|without)\b"
    '|[除]|以外|之外|不是|不要|ではない|でない|じゃない|ではなく|じゃなく'
)
_THE_OTHER = re.compile(
    r',?\s*\b(?:but )?(?:the|an) ?other(?: ones?)?(?=[?.!]*$)'
    rf'|别的|其[他它]的?|另(?:外)?(?:的|[一那][{ZH_MEASURES}])?'
    '|(?:別|他|ほか)の|もう[一1](?:つ|個|人|台|本|方)の'
)
_NOT_THIS = re.compile(
    r'^(?:no,? )?not (?:the |that |this |an? )?(?P<this>[\w\' -]*?(?P<head>[\w-]+)), '
    r'(?:but )?(?:the|an) ?other(?: one)?\b(?P<rest>[^,]*)$'
)
_REWRITES = (
    (re.compile(r'\b(?:has|have|with|holds?|contains?) nothing (?:in|inside|on) (?:it|them)\b'),
     'that is empty'),
    (re.compile(r'\b(?:with|(?:that|which) has) nothing\b'), 'without'),
    (re.compile(r'\b(?:anything|everything|all|any) but\b'), 'other than'),
    (re.compile(r'\binstead of\b'), 'other than'),
    (re.compile(r"\b(?:the|an) other (?P<what>[\w' -]+?),? (?:but )?not (?=(?:the|that|an?) )"),
     r'the \g<what>, not '),
    (re.compile(r'\bnot (?:the|that|this) ones? (?:with|wearing|that has|which has)\b'),
     'without'),
    (re.compile(r'\bnot (?:the|that|this) ones? without\b'), 'with'),
    (re.compile(r'\bnot (?:the|that|this) ones? (?:that|which) (?:is|are)\b'), 'not'),
    (re.compile(rf'^(?P<what>[^，,。]+?)的?(?:[那这][{ZH_MEASURES}]?)?不要[，,]'),
     r'不是\g<what>的，'),
    (re.compile('(?P<one>[^、。]+?)(?:く|で)も(?P<two>[^、。]+?)(?:く|で)もない'),
     r'\g<one>ではない、\g<two>ではない、'),
    (re.compile('(?:では|じゃ)なく(?:て)?[、]?'), 'ではない、'),
)  # fmt: skip
_THE = r'(?:(?:el|la|los|las|il|lo|le|les|o|os|de|het|der|die|das|de[nm]|ein\w*|una?|une)\s+)?'
_IN_OTHER_LANGUAGES = (
    (re.compile(
        r'\b(?:no (?:est[áé]n?|es|son|sea|tienen?|hay)|non (?:è|ha|sia|sono)'
        r'|não (?:está|é|tem|esteja|são)|nie (?:jest|ma|są)|не|nicht|kein\w*|niet|geen'
        r"|n(?:'|e )(?:est|sont|a|ont|soit) (?:pas|plus)(?: de)?|pas(?= (?:l[ea]s?|une?|de)\b))\s+"
        rf'{_THE}'), ' not '),
    (re.compile(rf'\b(?:sin|sans|senza|sem|ohne|zonder|без|bez)\s+{_THE}'), ' without '),
    (re.compile(r'(\S+지)\s*않[은는]'), r' not \1,'),
    (re.compile(r'(\S+?)(?:이|가)?\s+아닌'), r' not \1,'),
    (re.compile(r'(\S+?)(?:이|가)?\s+없는'), r' without \1,'),
)  # fmt: skip


def has_foreign_negation(text: str) -> bool:
    """Return whether a negation is of none of the three languages that have tables."""
    return not is_english(text) and any(each.search(text) for each, _ in _IN_OTHER_LANGUAGES)


def normalise_negations(text: str) -> str:
    """Return a query with its negations in one form, and without "the other one"."""
    if both := _NOT_THIS.match(text):
        text = f'the {both["head"]}{both["rest"]} other than the {both["this"]}'
    others = _IN_OTHER_LANGUAGES if has_foreign_negation(text) else ()
    for pattern, replacement in (*_REWRITES, *others):
        text = pattern.sub(replacement, text)
    return _THE_OTHER.sub(' ', text) if _NEGATES.search(text) else text
