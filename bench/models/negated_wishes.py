"""Negates a wish, or takes it back: what the offline model learns not to carry out."""

from __future__ import annotations

from collections.abc import Sequence
import random
import re

ENDS = ' ,.!?。、;'
_CONJUGATED = 0.7  # of the Japanese denials
_POLITE_END = re.compile(
    r'(?:(?:もらえ|いただけ)ますか|くださいますか|ください|下さい|ちょうだい|頂戴|くれ|ね|よ)+[。!?]*$'
)
# Ends of Japanese wishes, what they are in a denial, and what denies them.
_DENIED_ENDS = tuple(
    (re.compile(f'(?:{wish})$'), tuple(plain + each for each in ('な', 'なよ')), negative)
    for wish, plain, negative in (
        ('行って|いって', '行く', '行か'),
        ('(?<=[待持立打])って', 'つ', 'た'),
        ('(?<=[追拾使言])って|(?<=向か)って', 'う', 'わ'),
        ('(?<=[飛呼並運])んで', 'ぶ', 'ば'),
        ('(?<=[てで])いて', 'いる', 'い'),
        ('来て', '来る', '来'),
        ('(?<=[ぁ-ん出返戻回消押離渡倒外示直写話探])して', 'す', 'さ'),
        ('して', 'する', 'し'),
        ('(?<=[けげせねてべめれえぜ見出])て', 'る', ''),
        ('って', 'る', 'ら'),
        ('んで', 'む', 'ま'),
        ('いて', 'く', 'か'),
    )
)
_NEGATIVES = ('ないで', 'ないでね', 'ないでください', 'なくていい', 'なくていいよ')
# What denies a wish; beside another wish, this one is asked for all the same.
_NEGATED = {
    'en': (
        *("don't {}", 'do not {}', 'never {}', 'not {}', "please don't {}"),
        *('you must not {}', "you shouldn't {}", 'no need to {}', "you needn't {}"),
        *("don't you dare {}", "whatever you do, don't {}", 'before I go, never {}'),
    ),
    'zh': (
        *('别{}', '不要{}', '不用{}', '先别{}', '不许{}', '甭{}', '不必{}'),
        *('千万别{}', '没必要{}', '不{}', '没{}', '再也不{}', '{}就不用了'),
    ),
    'ja': (
        *('{}はやめて', '{}はだめ', '{}は必要ない', '{}はいらないよ'),
        *('{}はいけない', '{}はだめだよ', '{}ほしくない', '{}もらわなくていい'),
    ),
    'de': ('nicht {}', 'auf keinen Fall {}', '{} nicht', 'bitte nicht {}'),
    'fr': ('surtout ne {} pas', 'pas {}', 'ne {} pas'),
    'es': ('no {}', 'nunca {}', 'no hace falta que {}'),
}  # fmt: skip
# What else makes a wish none: a condition, a later time, the past, hearsay, a question, a joke.
_TAKEN_BACK = {
    'en': (
        *('if it rains, {}', 'when I say so, {}'),
        *('{} if it gets cold', '{} unless I call you'),
        *('{} when the bell rings', '{} after lunch'),
        *('in ten minutes {}', '{} tomorrow', '{} later'),
        *('he told me to {}', 'why did you {}'),
        *('what happens if you {}', 'did you {}', '{} or not'),
        *('yesterday you had to {}', 'how do you {}', 'can you even {}'),
        *('{}, just kidding', '{} - no, forget it', '{}, oh never mind', '{} not'),
    ),
    'zh': (
        *('如果下雨就{}', '等我说了再{}', '要是没人就{}', '天晴的话{}'),
        *('刚才{}', '{}过', '{}了吗', '他让我{}'),
        *('明天{}', '待会儿{}', '为什么要{}'),
        *('能不能{}都行', '{}还是不{}', '昨天{}的时候', '{}之后'),
        *('{},开玩笑的', '{},算了', '{},还是别了'),
    ),
    'ja': (
        *('もし雨なら{}', '合図したら{}', '誰か来たら{}'),
        *('あとで{}', '明日{}', '{}なんて言ってない'),
        *('{}と彼が言った', '昨日{}', '{}た後'),
        *('{}、なんてね', '{}、やっぱりいいや', '{}、いや、やめた'),
    ),
    'de': (
        *('wenn es regnet, {}', '{}, wenn ich rufe', 'morgen {}'),
        *('er hat gesagt: {}', 'später {}', 'warum {}', 'falls jemand kommt, {}'),
        *('{}, war nur Spaß', '{} - ach nein, lass gut sein'),
    ),
    'fr': (
        *("s'il pleut, {}", '{} quand je le dis', 'demain {}', 'il a dit : {}'),
        *('pourquoi {}', 'si quelqu’un vient, {}', '{} plus tard', '{}, non je plaisante'),
    ),
    'es': (
        *('si llueve, {}', '{} cuando yo diga', 'mañana {}', 'me dijo: {}'),
        *('luego {}', 'por qué {}', 'si viene alguien, {}', '{}, es broma'),
    ),
}  # fmt: skip
LANGUAGES = frozenset(_NEGATED)  # those of `_TAKEN_BACK`, too


def negated_wish(text: str, lang: str, rng: random.Random) -> str:
    """Return a wish in one of `LANGUAGES` as one that is denied."""
    conjugated = _conjugated(text, rng) if lang == 'ja' and rng.random() < _CONJUGATED else ''
    return conjugated or _framed(text, _NEGATED[lang], rng)


def wish_taken_back(text: str, lang: str, rng: random.Random) -> str:
    """Return a wish in one of `LANGUAGES` with a condition, as hearsay, as a joke and the like."""
    return _framed(text, _TAKEN_BACK[lang], rng)


def _framed(text: str, frames: Sequence[str], rng: random.Random) -> str:
    return rng.choice(frames).replace('{}', text.rstrip(ENDS))


def _conjugated(text: str, rng: random.Random) -> str:
    """Return a wish in Japanese as a denial, 「開けるな」; empty: its end is not known."""
    wish = _POLITE_END.sub('', text.rstrip(ENDS))
    for end, plain, negative in _DENIED_ENDS:
        if end.search(wish):
            forms = [*plain, *(negative + each for each in _NEGATIVES)]
            return end.sub(rng.choice(forms), wish)
    return ''
