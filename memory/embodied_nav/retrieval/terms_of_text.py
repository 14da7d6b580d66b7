"""Tokenizes English, Japanese and Chinese texts into terms, and marks the negated ones. Pure.

Japanese and Chinese have no spaces: budoux cuts them into phrases, of which particles and endings
are left out here. Captions and queries get the same form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import zip_longest
import re
import unicodedata

from embodied_nav.retrieval.phrase_breaking import phrases_of
from embodied_nav.retrieval.synonyms import (
    cjk_names,
    concepts_of,
    exact_concepts,
    is_quality,
    split_compound,
)
from embodied_nav.retrieval.tokens_and_word_forms import STOP_WORDS, split_camel_case

_CJK = '㐀-鿿豈-﫿々ァ-ヺーぁ-ゖ'
_RUNS = re.compile(
    rf"(?P<signs>[{_CJK}]+)|(?P<word>(?:(?![{_CJK}])[^\W_])+)(?:'[a-z]+)?|(?P<stop>[,.;:、。，；：])"
)
_STARTS_WITH_CJK = re.compile(f'[{_CJK}]')
_KANA = re.compile('[ぁ-ゖァ-ヺ]')

NEGATIONS = frozenset(
    ['not', 'no', 'without', 'never', 'non', 'nobody', 'lacks', 'lacking']
)  # fmt: skip
# These negate a noun with the qualities before it.
_DISTRIBUTIVE_NEGATIONS = frozenset(['without', 'no', 'lacks', 'lacking'])
_NEGATION_FILLERS = frozenset(  # between "not" and what is negated
    """
    called made named painted one ones any ever really very quite been being got get have need
    needs needing take takes taking use uses using used require requires accept accepts show shows
    hold holds contain contains carry carries include includes want wants
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_NOT_FIRST_PERSON = r'(?<!\bi )(?<!\bwe )'  # what the asker cannot do describes no thing
_CONTRACTED = ((re.compile(rf"{_NOT_FIRST_PERSON}\b(?:can't|cannot)\b"), 'can not'),
               (re.compile(rf"{_NOT_FIRST_PERSON}\bwon't\b"), 'will not'),
               (re.compile(rf"{_NOT_FIRST_PERSON}\b(ha(?:s|d|ve)|would|could)n't\b"), r'\1 not'),
               (re.compile(r"\b(is|are|was|were|do|does)n't\b"), r'\1 not'))  # fmt: skip
EXCEPT = frozenset(['except', 'excluding', 'besides'])
_EXCEPT_BIGRAMS = {'other': 'than', 'apart': 'from', 'rather': 'than', 'different': 'from'}

_PLACE_PREPOSITIONS = frozenset(
    """
    in at on inside within around from behind under below above over between along across near
    beside by next close of onto into beneath underneath against through outside
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_ATTRIBUTE_WORDS = frozenset(['with', 'that', 'which', 'who', 'whose', 'having', 'has'])
_ENGLISH = re.compile(  # rarely words of another language
    r'(?<!\w)(?:the|where|what|which|with|you|your|our|that|there|this|show|find|bring|did|how|does'
    r"|my|his|need|needs|want|wants|have|some|someone|somebody|something|somewhere|for|i am|i'm"
    r"|it's|she's|he's|we're|they're)(?!\w)"
)
_STOP_WORDS = (
    STOP_WORDS
    | _PLACE_PREPOSITIONS
    | {'other', 'apart', 'rather', 'than', 'or', 'but', 'up', 'out', 'off'}
)

_OUT_OF_ORDER = re.compile(r'\bout[ -]of[ -]order\b', re.IGNORECASE)
_HYPHENATED = re.compile(r'\b([a-z]+)-(in|by|on|off|over|through|hand)\b')  # check-in
_NOUN = r'(?:(?:an?|the) )?(?!or\b|nor\b)[a-z-]+'
_NEGATED_LIST = re.compile(rf'\b(?:not|neither|no) (?P<all>{_NOUN}(?:, {_NOUN})*,? n?or {_NOUN})')
_COMPARATIVE = re.compile('[a-z]{3,}er')  # before "than"
# Between an article and a noun these distinguish a thing; elsewhere they are stop words.
_DISTINGUISHING = frozenset(
    ['another', 'back', 'first', 'known', 'last', 'lying', 'other', 'right', 'sitting', 'spotted',
     'standing', 'still', 'visible']
)  # fmt: skip
_BEFORE_PRONOUN = STOP_WORDS | {'am', 'may', 'might', 'must', 'shall'}  # before "I"
_ARTICLES = frozenset(['the', 'a', 'an', 'my', 'your', 'our', 'its'])

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
_IN_IT = '(?:に(?:ある|いる|あった|いた)(?!か)|の中(?:の|に)|内の|[里中内]的)'
_JA_STOP_PHRASE = re.compile(
    '(?:(?:[見行来教探示連戻進]|案内|移動|記憶|覚え|向か|近づ|知|思|確認|撮|送|欲し)[ぁ-ん]*)+|'
    'もらえ[ぁ-ん]*|くれ[ぁ-ん]*|いただけ[ぁ-ん]*|みた|みて|置いた|置いて|置いてある|いい|良い|ほしい|(?:使|乗|座|借|探)[ぁ-ん]*たい.*|どちら.*|どっち.*|いって|いった|して|した|する|ください|下さい|おしえて|どこ.*|どの.*|どれ.*|何処.*|何|なに|'
    '誰[かも]?[がのを]?|ある|あった|あり|あり(?:ます|ません).*|いる|いた|い(?:ます|ません).*|ところ|所|場所|もの|物|やつ|ほう|方|近く|付近|あたり|'
    'その|あの|この|それ|あれ|これ|そこ|あそこ|ここ|さっき|前|一番近い|もう|一度|まだ|今|つい.*|ついて.*|'
    'ちょっと|よう|とき|時|中|上|下|横|隣|そば|側|間|手前|奥|後ろ|裏|脇|最寄り?'
)
_ZH_STOP_WORDS = frozenset(
    """
    有没有 有无 是否 可能 能不能 可不可以 要不要 会不会 是不是 行不行
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
    rf'(?:[这那某](?=[^ ][一-鿿])|哪)[{ZH_MEASURES}]'
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


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a text, in lower case.

    Attributes:
        negated: The text negates it.
        group: Terms of one number are negated together: the blue barrel, in "other than the blue
            barrel", and not everything that is blue.
        starts_phrase: It follows a pause, so it belongs to none of the terms before.
        in_place_phrase: It may describe the place of the thing, instead of the thing.
        is_distinguishing: It distinguishes one of several, whatever else the word may mean: shelf
            A, the right shelf, bigger than the shelf.
    """

    text: str
    negated: bool = False
    group: int = 0
    starts_phrase: bool = False
    in_place_phrase: bool = False
    is_distinguishing: bool = False

    @property
    def is_cjk(self) -> bool:
        """Whether it is Japanese or Chinese."""
        return _is_cjk(self.text)


@lru_cache(maxsize=10_000)
def _is_cjk(text: str) -> bool:
    return bool(_STARTS_WITH_CJK.match(text))


def normalise_text(text: str) -> str:
    """Return a text in the form in which terms are compared."""
    straight = unicodedata.normalize('NFKC', text).replace('’', "'")
    straight = _OUT_OF_ORDER.sub('broken', straight)
    return _HYPHENATED.sub(r'\1\2', split_camel_case(straight).lower().replace('_', ' '))


@lru_cache(maxsize=500)
def is_english(text: str) -> bool:
    """Return whether a text in Latin letters has a word that is rare in other languages."""
    return bool(_ENGLISH.search(normalise_text(text)))


@lru_cache(maxsize=1000)
def terms_of(text: str) -> tuple[Term, ...]:
    """Return the content terms of a text, without grammar and stop words."""
    text = _in_full(normalise_text(text))
    if 'or ' in text:
        text = _NEGATED_LIST.sub(_negate_each, text)
    is_japanese = bool(_KANA.search(text))
    terms: list[Term] = []
    starts_phrase = True
    in_negation = in_exception = in_place_phrase = is_distributive = False
    group = 0
    previous = ''
    whose_at: int | None = None
    matches = [*_RUNS.finditer(text)]
    for match, following in zip_longest(matches, matches[1:]):
        kind, run = str(match.lastgroup), match.group(match.lastgroup or 0)
        next_word = following['word'] if following else None
        if kind == 'stop':
            starts_phrase, in_negation, in_exception = True, False, False
            continue
        if kind == 'signs':
            terms += _cjk_terms(run, is_japanese, group, starts_phrase, in_negation)
            starts_phrase, in_negation = False, False
            group = max((group, *(each.group for each in terms)))
            continue
        if run in EXCEPT or _EXCEPT_BIGRAMS.get(previous) == run:
            in_exception, group = True, group + 1
        elif run in NEGATIONS:
            in_negation, group, is_distributive = True, group + 1, run in _DISTRIBUTIVE_NEGATIONS
            if whose_at is not None:  # whose net is not ripped: it has no ripped net
                terms[whose_at:] = _negated(terms[whose_at:], group)
        elif run in ('and', 'but', 'that', 'which', 'with'):
            in_exception = in_exception and run == 'with'
            in_negation = False
        elif run == 'than' and terms and _COMPARATIVE.fullmatch(previous):
            terms[-1] = replace(terms[-1], text=f'{previous} than', is_distinguishing=True)
        elif (in_negation or in_exception) and run in _NEGATION_FILLERS and next_word is not None:
            pass  # not made of steel
        elif (
            (is_distinguishing := _is_distinguishing(previous, run, next_word))
            or run not in _STOP_WORDS
            or (in_negation and (following is None or following['stop']))  # that is not on
        ):
            negated = in_negation or in_exception
            term_group = group if negated else 0
            terms.append(
                Term(run, negated, term_group, starts_phrase, in_place_phrase, is_distinguishing)
            )
            starts_phrase = False
            is_open = is_distributive and next_word not in _STOP_WORDS
            in_negation = in_negation and is_open and is_quality(concepts_of(run))
        whose_at = len(terms) if run == 'whose' else whose_at
        in_place_phrase = run in _PLACE_PREPOSITIONS or (
            in_place_phrase and run not in _ATTRIBUTE_WORDS
        )
        previous = run
    return tuple(terms)


def _negated(terms: Iterable[Term], group: int) -> list[Term]:
    return [replace(term, negated=True, group=group) for term in terms]


def _in_full(text: str) -> str:
    """Return "can not" for "can't"."""
    if "'" in text or 'cannot' in text:
        for contracted, in_full in _CONTRACTED:
            text = contracted.sub(in_full, text)
    return text


def _cjk_terms(
    run: str, is_japanese: bool, group: int, starts_phrase: bool, is_negated: bool
) -> Iterator[Term]:
    """Yield the terms of a run of characters; `is_negated`: "not" precedes it."""
    for term in (_japanese if is_japanese else _chinese)(run, group):
        yield replace(
            term,
            negated=term.negated or is_negated,
            group=(term.group or group) if is_negated else term.group,
            starts_phrase=starts_phrase,
            in_place_phrase=_is_place_phrase(run, term.text),
        )
        starts_phrase = False


def _negate_each(found: re.Match[str]) -> str:
    """Return "not red, not green" for "not red or green"."""
    parts = re.split(r',? (?:n?or) |, ', found['all'])
    return ', '.join(f'not {each}' for each in parts)


def _is_distinguishing(previous: str, run: str, next_word: str | None) -> bool:
    """Return whether a possible stop word distinguishes a thing in its context.

    A letter behind a word and before none is a name: shelf A. "am I" and "5 m" are no names.
    """
    ends = next_word is None or next_word in _STOP_WORDS
    if len(run) == 1 and run.isalpha():
        return (
            (run != 'i' or next_word is None)
            and ends
            and bool(previous)
            and not previous.isdigit()
            and previous not in _BEFORE_PRONOUN
        )
    is_behind_article = previous in _ARTICLES or run == 'another'
    return run in _DISTINGUISHING and is_behind_article and not ends and next_word != 'one'


def _is_place_phrase(run: str, text: str) -> bool:
    """Return whether something lies in it, by the run: 谷にある岩, 山谷中的石头."""
    return bool(re.search(re.escape(text) + _IN_IT, run))


def _japanese(run: str, group: int) -> Iterator[Term]:
    terms: list[Term] = []
    links: list[str] = []  # the ending of the chunk of each term
    *others, last = _japanese_pieces(run)
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
                terms[-1] = replace(terms[-1], negated=True, group=group)
            verb = text or (terms[-1].text if terms else '')
            if at > 0 and chunk is not last and _JA_SUBJECT.match(links[at - 1] + verb):
                terms[at - 1] = replace(terms[at - 1], negated=True, group=group)
        text = _without_particles(text)
        if not text or (_is_japanese_stop_phrase(text) and not text.startswith(_JA_INVISIBLE)):
            continue
        negated = bool(in_exception or (negation and text != chunk))
        terms += _split_term(Term(text, negated, group if negated else 0))
        links += [chunk[len(text) :][:1]] * (len(terms) - len(links))
    yield from terms


@lru_cache(maxsize=5000)
def _is_japanese_stop_phrase(text: str) -> bool:
    return bool(_JA_STOP_PHRASE.fullmatch(text))


def _japanese_pieces(run: str) -> Iterator[str]:
    """Yield its phrases. None starts with a particle: はしご is one word, even where it is cut."""
    first, *others = phrases_of('ja', run)
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


def _chinese(run: str, group: int) -> Iterator[Term]:
    terms: list[Term] = []
    negated = in_exception = joins = False
    for piece in _chinese_pieces(_ZH_MEASURE.sub('', run)):
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
        term = Term(text, negated, group if negated else 0)
        if joins and _is_one_word(terms[-1].text, text):
            terms[-1] = replace(terms[-1], text=terms[-1].text + text)
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


def _chinese_pieces(run: str) -> Iterator[str]:
    """Cut at known names first: 看到过山羊 has a goat in it, and no mountain that was passed."""
    names = [found.span() for found in _chinese_names().finditer(run)]
    ends, at = set(), 0
    for piece in phrases_of('zh-hans', run):
        at += len(piece)
        ends.add(at)
    ends = {end for end in ends if not any(first < end < last for first, last in names)}
    ends |= {end for span in names for end in span} - {0}
    begin = 0
    for end in sorted(ends):
        yield run[begin:end]
        begin = end


def _is_one_word(one: str, other: str) -> bool:
    """Return whether two adjacent pieces are one word: 池 and 塘, not 红 and 车."""
    if exact_concepts(one + other):
        return True
    return min(len(one), len(other)) == 1 and not concepts_of(one) and not concepts_of(other)


def _split_term(term: Term) -> Iterator[Term]:
    """Yield a term, or its quality and the rest: 木长椅 is of wood and a bench."""
    quality, rest = split_compound(term.text)
    for text in (quality, rest) if quality else (term.text,):
        yield replace(term, text=text)


@cache
def _chinese_names() -> re.Pattern[str]:
    names = {
        *cjk_names(),
        *(each for each in _ZH_STOP_WORDS if len(each) > 1),
        *_ZH_EXCEPT,
        *_ZH_INVISIBLE,
    }
    return re.compile('|'.join(sorted(names, key=len, reverse=True)))
