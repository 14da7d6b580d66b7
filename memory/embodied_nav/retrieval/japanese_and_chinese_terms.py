"""Cuts Japanese and Chinese texts, which have no spaces, into terms, some of them negated. Pure.

BudouX cuts a run into phrases, of which particles, endings and stop words are left out here.
docs/decisions/0204-budoux-stays-the-cutter.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
import re
from typing import Any, NamedTuple

from embodied_nav.retrieval.synonyms_and_dictionary import (
    cjk_names,
    concepts_of,
    exact_concepts,
    split_compound,
)

_KANA = re.compile('[ぁ-ゖァ-ヺ]')
_JA_GRAMMAR = re.compile(
    '(?:にありますか|がありますか|ありますか|にあります|にある|のある|がある|にいる|でしたか|でした|ですか|です|だった|だ|まで|から|より'
    '|っぽい|みたいな|のような|ような|など|では|には|とは|にも|でも|[はがをにへでとのもやかなねよ])$'
)
_JA_NOT = re.compile(
    '(?:では|じゃ|で|が|の|く|に|て|で)*(?:い)?(?:ない|なかった|なし|無し|無い|ません|ずに?)(?:の|もの|やつ|ほう)?$'
)
_JA_SUBJECT = re.compile(  # 屋根が壊れていない, 鍵のかかっていない: it has no such roof or lock
    '[がに]|の(?:かか|掛か|入|空|開|つ|付|乗|載|生|咲|出)'
)
_JA_INVISIBLE = ('見えない', '見えなかった')  # of a thing, not of the asker
_JA_EXCEPT = re.compile('(?:以外|を除く|を除いた)(?:の|で|に|は)?$')
_JA_STOP_PHRASE = re.compile(
    '(?:(?:[見行来教探示連戻進]|案内|移動|記憶|覚え|向か|近づ|知|思|確認|撮|送|欲し)[ぁ-ん]*)+|'
    'もらえ[ぁ-ん]*|くれ[ぁ-ん]*|いただけ[ぁ-ん]*|みた|みて|置いた|置いて|置いてある|いい|良い|ほしい|(?:使|乗|座|借|探)[ぁ-ん]*たい.*|どちら.*|どっち.*|いって|いった|して|した|する|ください|下さい|おしえて|どこ.*|どの.*|どれ.*|何処.*|何|なに|'
    '誰[かも]?[がのを]?|ある|あった|あり|あり(?:ます|ません).*|いる|いた|い(?:ます|ません).*|ところ|所|場所|もの|物|やつ|ほう|方|近く|付近|あたり|'
    '全部|全て|すべて|その|あの|この|それ|あれ|これ|そこ|あそこ|ここ|さっき|前|一番近い|もう|一度|まだ|今|つい.*|ついて.*|'
    'ちょっと|よう|とき|時|中|上|下|横|隣|そば|側|間|手前|奥|後ろ|裏|脇|最寄り?'
)
_ZH_STOP_WORDS = frozenset(
    """
    有没有 有无 是否 可能 能不能 可不可以 要不要 会不会 是不是 行不行
    哪些 哪几个 哪种 有哪些 全部 所有 一头 一匹 一艘 一架 一把 一扇 一株 一朵 一名 一位 一群 一幅
    的 了 吗 呢 吧 是 有 在 你 我 我们 你们 请 请问 把 去 到 过 和 与 里 哪里 哪 哪儿 哪个 在哪
    在哪里 在哪儿 什么 地方 看 看到 看见
    见到 见 见过 看过 带 带我去 告诉 告诉我 那 这 那个 这个 那里 那边 这里 个 块 条 座 只 辆 一
    一个 一块 一条 附近 最近
    看看 看一看 看一下 去看看 找找 可是 但是
    位置 找 找到 找一下 想 可以 能 儿 得 地 很 着 上 下 旁边 边 被 也 都 还 它 东西 位于 回 回到
    开 往 走 拿 要 借 摆 放 放在 摆在 停在 扔 扔在 掉 掉在 那儿 哪边 来着 想去 想看 领
    记得 记住 曾 曾经
    怎么 怎么走 怎么去 怎样 需要 想要
    之前 刚才 刚刚 一下 帮 帮我 给 让 用 做 来 停 一座 一只 一辆 一张 一台 一根 一棵 一排 一堆
    从 来自 何 一片 里面 中 间 处 某 某个
    """.split()  # noqa: SIM905
)
ZH_MEASURES = '个块条座只辆张台根棵排堆片间把件艘匹头架株朵幅面扇盏口道栋幢节顶副摞捆群双对支位名'
_ZH_MEASURE = re.compile(  # that one of a kind: 那棵橡树, 这张桌子
    rf'(?:[这那某](?=[^ ][一-鿿])|哪)[{ZH_MEASURES}]|[这那][{ZH_MEASURES}]$'
)
_ZH_VERB = re.compile(  # precedes a noun and is no part of it: 放大镜 is one word
    '^(?:要(?![塞道素点])|走(?![廊道马步])|放(?![大映射电牧水风])|拿(?![铁破])|离(?![合心子岸])'
    '|摆(?![钟件锤渡轮]))(?=..)'
)
_ZH_EXCEPT, _ZH_EXCEPT_FIRST = ('以外', '之外'), ('除', '除了', '除开')
_ZH_EXCEPT_LAST = ('还', '还有', '也', '都')  # 除了咖啡还有什么喝的
_ZH_AFTER_NOT = re.compile('^(?:会|能|太|再|有)(?=.)')
_ZH_INVISIBLE = ('看不见', '看不到', '见不到')  # of a thing, not of the asker
_ZH_NOT = ('不是', '没有', '并非', '不', '没', '无', '非')


def is_japanese(text: str) -> bool:
    """Return whether a text with signs has kana, so that it is Japanese and not Chinese."""
    return bool(_KANA.search(text))


class Piece(NamedTuple):
    """A term with whether it is negated, and the number of those that are negated together."""

    text: str
    negated: bool = False
    group: int = 0


def japanese_pieces(run: str, group: int) -> Iterator[Piece]:
    """Yield the terms of a run of characters; `group`: the number of the last negated ones."""
    terms: list[Piece] = []
    links: list[str] = []  # the ending of the chunk of each term
    *others, last = _japanese_phrases(run)
    for chunk in (*others, last):
        text, negation, in_exception = chunk, _JA_NOT.search(chunk), _JA_EXCEPT.search(chunk)
        if in_exception:
            group += 1
            text = chunk[: in_exception.start()]
            terms = _negated(terms, group)
        elif negation and not chunk.startswith(_JA_INVISIBLE):
            group += 1
            text = chunk[: negation.start()]
            at = len(terms) - (not text)  # of the verb: いない alone negates the term before it
            if not text and terms:
                terms[-1] = terms[-1]._replace(negated=True, group=group)
            verb = text or (terms[-1].text if terms else '')
            if at > 0 and chunk is not last and _JA_SUBJECT.match(links[at - 1] + verb):
                terms[at - 1] = terms[at - 1]._replace(negated=True, group=group)
        text = _without_particles(text)
        if not text or (_is_japanese_stop_phrase(text) and not text.startswith(_JA_INVISIBLE)):
            continue
        negated = bool(in_exception or (negation and text != chunk))
        terms += _split_term(Piece(text, negated, group if negated else 0))
        links += [chunk[len(text) :][:1]] * (len(terms) - len(links))
    yield from terms


@lru_cache(maxsize=5000)
def _is_japanese_stop_phrase(text: str) -> bool:
    return bool(_JA_STOP_PHRASE.fullmatch(text))


def _japanese_phrases(run: str) -> Iterator[str]:
    """Yield its phrases. None starts with a particle: はしご is one word, even where it is cut."""
    names = [found.span() for found in _hiragana_names().finditer(run)]
    ends = _ends(phrases_of('ja', run), names) | {begin for begin, _ in names if begin}
    first, *others = _cut(run, ends)
    if others and len(first) == 1 and _KANA.match(first):
        first, *others = first + others[0], *others[1:]
    yield from (first, *others)


def _without_particles(chunk: str) -> str:
    text = chunk
    while (match := _JA_GRAMMAR.search(text)) and (
        match.start() > 1 or (match.start() == 1 and not re.match('[ぁ-ん]', text))
    ):
        text = text[: match.start()]
    return text if text != chunk or not _JA_GRAMMAR.fullmatch(chunk) else ''


def chinese_pieces(run: str, group: int) -> Iterator[Piece]:
    """As `japanese_pieces`."""
    terms: list[Piece] = []
    negated = in_exception = joins = False
    for piece in _chinese_phrases(_ZH_MEASURE.sub('', run)):
        if piece in _ZH_EXCEPT_FIRST:
            in_exception, negated, group, joins = True, True, group + 1, False
            continue
        if piece in _ZH_EXCEPT or (in_exception and piece in _ZH_EXCEPT_LAST):
            if not negated:
                group += 1
                terms = _negated(terms, group)
            negated = in_exception = joins = False
            continue
        text = piece if concepts_of(piece) else _ZH_VERB.sub('', piece)
        if (rest := _after_not(text)) is not None:
            negated, group, joins, text = True, group + 1, False, rest
        if negated and not in_exception:
            text = _ZH_AFTER_NOT.sub('', text)
        if text == '的' and negated and not in_exception:
            negated = False
        text = text.removesuffix('的') if len(text) > 1 else text
        if not text or text in _ZH_STOP_WORDS:
            joins = False
            continue
        term = Piece(text, negated, group if negated else 0)
        if joins and _is_one_word(terms[-1].text, text):
            terms[-1] = terms[-1]._replace(text=terms[-1].text + text)
        else:
            terms.append(term)
        joins = True
        if piece.endswith('的') and negated and not in_exception:
            negated = False
    for term in terms:
        yield from _split_term(term)


def _after_not(piece: str) -> str | None:
    """Return what a piece negates; None: it has no negation."""
    if piece in _ZH_STOP_WORDS:
        return None
    return next((piece[len(each) :] for each in _ZH_NOT if piece.startswith(each)), None)


def _chinese_phrases(run: str) -> Iterator[str]:
    """Cut at known names first: 看到过山羊 has a goat in it, and no mountain that was passed."""
    names = [found.span() for found in _chinese_names().finditer(run)]
    ends = _ends(phrases_of('zh-hans', run), names) | {
        end for span in names for end in span if end
    }
    yield from _cut(run, ends)


def _ends(pieces: Iterable[str], names: Sequence[tuple[int, int]]) -> set[int]:
    """Return where pieces end, but not within a name."""
    ends = accumulate(map(len, pieces))
    return {end for end in ends if not any(first < end < last for first, last in names)}


def _cut(run: str, ends: Iterable[int]) -> Iterator[str]:
    for begin, end in pairwise((0, *sorted(ends))):
        yield run[begin:end]


def _is_one_word(one: str, other: str) -> bool:
    """Return whether two adjacent pieces are one word: 池 and 塘, not 红 and 车."""
    if exact_concepts(one + other):
        return True
    return min(len(one), len(other)) == 1 and not concepts_of(one) and not concepts_of(other)


def _negated(pieces: Iterable[Piece], group: int) -> list[Piece]:
    return [each._replace(negated=True, group=group) for each in pieces]


def _split_term(piece: Piece) -> Iterator[Piece]:
    """Yield a piece, or its quality and the rest: 木长椅 is of wood and a bench."""
    quality, rest = split_compound(piece.text)
    for text in (quality, rest) if quality else (piece.text,):
        yield piece._replace(text=text)


@cache
def _hiragana_names() -> re.Pattern[str]:
    """Return the names of things without a sign that tells them from grammar: はしご."""
    names = (each for each in cjk_names() if re.fullmatch('[ぁ-んー]{3,}', each))
    return re.compile('|'.join(sorted(names, key=len, reverse=True)))


@cache
def _chinese_names() -> re.Pattern[str]:
    names = {
        *cjk_names(),
        *(each for each in _ZH_STOP_WORDS if len(each) > 1),
        *_ZH_EXCEPT,
        *_ZH_INVISIBLE,
    }
    return re.compile('|'.join(sorted(names, key=len, reverse=True)))


# “The one that …”, a phrase of its own: budoux 0.9, the last for Python 3.10, does not cut there.
_THE_ONE = re.compile('(?<=[いたるだな])(?=方[のがをはに])')


@lru_cache(maxsize=5000)
def phrases_of(language: str, run: str) -> tuple[str, ...]:
    """Return the phrases of a run; cached, because captions repeat each other.

    Args:
        language: 'ja', else it is simplified Chinese.
        run: Characters of one script or of several, without spaces.
    """
    return tuple(
        piece for phrase in _parser(language).parse(run) for piece in _THE_ONE.split(phrase)
    )


@cache
def _parser(language: str) -> Any:
    import budoux  # a wheel of 350 kB; read at the first such text

    return (
        budoux.load_default_japanese_parser()
        if language == 'ja'
        else budoux.load_default_simplified_chinese_parser()
    )
