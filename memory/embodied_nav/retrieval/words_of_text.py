"""The words of a text in English, Japanese or Chinese, in order, with what it denies. Pure.

Japanese and Chinese have no spaces: budoux cuts them into phrases, of which particles and endings
are left out here. One form for captions and for questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import zip_longest
import re
import unicodedata

from embodied_nav.embedding.bm25_words import STOP, humps_apart
from embodied_nav.retrieval.phrase_breaking import phrases_of
from embodied_nav.retrieval.synonyms import apart, concepts_of, is_closed, named_as, names_in_signs

_SIGN = '㐀-鿿豈-﫿々ァ-ヺーぁ-ゖ'
_RUNS = re.compile(
    rf"(?P<signs>[{_SIGN}]+)|(?P<word>(?:(?![{_SIGN}])[^\W_])+)(?:'[a-z]+)?|(?P<stop>[,.;:、。，；：])"
)
_BEGINS_WITH_SIGN = re.compile(f'[{_SIGN}]')
_KANA = re.compile('[ぁ-ゖァ-ヺ]')

NEGATIONS = frozenset(
    ['not', 'no', 'without', 'never', 'non', 'nobody', 'lacks', 'lacking']
)  # fmt: skip
_WITHOUT = frozenset(['without', 'no', 'lacks', 'lacking'])  # with all that they stand before
_OF_WHAT = frozenset(  # between "not" and what is denied
    """
    called made named painted one ones any ever really very quite been being got get have need
    needs needing take takes taking use uses using used require requires accept accepts show shows
    hold holds contain contains carry carries include includes want wants
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_NOT_ME = r'(?<!\bi )(?<!\bwe )'  # what whoever asks cannot do is said of no thing
_CONTRACTED = ((re.compile(rf"{_NOT_ME}\b(?:can't|cannot)\b"), 'can not'),
               (re.compile(rf"{_NOT_ME}\bwon't\b"), 'will not'),
               (re.compile(rf"{_NOT_ME}\b(ha(?:s|d|ve)|would|could)n't\b"), r'\1 not'),
               (re.compile(r"\b(is|are|was|were|do|does)n't\b"), r'\1 not'))  # fmt: skip
EXCEPT = frozenset(['except', 'excluding', 'besides'])
_EXCEPT_FIRST = {'other': 'than', 'apart': 'from', 'rather': 'than', 'different': 'from'}

_PLACES = frozenset(
    """
    in at on inside within around from behind under below above over between along across near
    beside by next close of onto into beneath underneath against through outside
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_OF_ITSELF = frozenset(['with', 'that', 'which', 'who', 'whose', 'having', 'has'])
_ENGLISH = re.compile(  # seldom words of another language
    r'(?<!\w)(?:the|where|what|which|with|you|your|our|that|there|this|show|find|bring|did|how|does'
    r"|my|his|need|needs|want|wants|have|some|someone|somebody|something|somewhere|for|i am|i'm"
    r"|it's|she's|he's|we're|they're)(?!\w)"
)
_SILENT = STOP | _PLACES | {'other', 'apart', 'rather', 'than', 'or', 'but', 'up', 'out', 'off'}

_BROKEN = re.compile(r'\bout[ -]of[ -]order\b', re.IGNORECASE)
_ONE_WORD = re.compile(r'\b([a-z]+)-(in|by|on|off|over|through|hand)\b')  # check-in
_ONE = r'(?:(?:an?|the) )?(?!or\b|nor\b)[a-z-]+'
_NOT_ONE_OF = re.compile(rf'\b(?:not|neither|no) (?P<all>{_ONE}(?:, {_ONE})*,? n?or {_ONE})')
_MORE = re.compile('[a-z]{3,}er')  # before "than"
# Between an article and a thing these tell it from others; elsewhere they frame a question.
_TELLING = frozenset(
    ['another', 'back', 'first', 'known', 'last', 'lying', 'other', 'right', 'sitting', 'spotted',
     'standing', 'still', 'visible']
)  # fmt: skip
_ASKING = STOP | {'am', 'may', 'might', 'must', 'shall'}  # before "I"
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
_JA_UNSEEN = ('見えない', '見えなかった')  # of a thing, not of who looks for it
_JA_EXCEPT = re.compile('(?:以外|を除く|を除いた)(?:の|で|に|は)?$')
_IN_IT = '(?:に(?:ある|いる|あった|いた)(?!か)|の中(?:の|に)|内の|[里中内]的)'
_JA_FRAME = re.compile(
    '(?:(?:[見行来教探示連戻進]|案内|移動|記憶|覚え|向か|近づ|知|思|確認|撮|送|欲し)[ぁ-ん]*)+|'
    'もらえ[ぁ-ん]*|くれ[ぁ-ん]*|いただけ[ぁ-ん]*|みた|みて|置いた|置いて|置いてある|いい|良い|ほしい|(?:使|乗|座|借|探)[ぁ-ん]*たい.*|どちら.*|どっち.*|いって|いった|して|した|する|ください|下さい|おしえて|どこ.*|どの.*|どれ.*|何処.*|何|なに|'
    '誰[かも]?[がのを]?|ある|あった|あり|あり(?:ます|ません).*|いる|いた|い(?:ます|ません).*|ところ|所|場所|もの|物|やつ|ほう|方|近く|付近|あたり|'
    'その|あの|この|それ|あれ|これ|そこ|あそこ|ここ|さっき|前|一番近い|もう|一度|まだ|今|つい.*|ついて.*|'
    'ちょっと|よう|とき|時|中|上|下|横|隣|そば|側|間|手前|奥|後ろ|裏|脇|最寄り?'
)
_ZH_FRAME = frozenset(
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
_ZH_VERB = re.compile(  # stands before a thing and is no part of its name: 放大镜 is one
    '^(?:要(?![塞道素点])|走(?![廊道马步])|放(?![大映射电牧水风])|拿(?![铁破])|离(?![合心子岸])'
    '|摆(?![钟件锤渡轮]))(?=..)'
)
_ZH_EXCEPT, _ZH_EXCEPT_FIRST = ('以外', '之外'), ('除', '除了', '除开')
_ZH_EXCEPT_LAST = ('还', '还有', '也', '都')  # 除了咖啡还有什么喝的
_ZH_AFTER_NOT = re.compile('^(?:会|能|太|再|有)(?=.)')
_ZH_UNSEEN = ('看不见', '看不到', '见不到')  # of a thing, not of who looks for it
_ZH_NOT = ('不是', '没有', '并非', '不', '没', '无', '非')


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands in a text, lower case.

    Attributes:
        denied: The text says that the thing is not so.
        group: Words of one number are denied together: the blue barrel, in "other than the blue
            barrel", and not everything that is blue.
        begins: A pause stands before it, so it belongs to none of the words before.
        at_place: It may be said of where the thing lies, instead of the thing.
        tells: It tells one of several from the others, whatever else the word may mean: shelf A,
            the right shelf, bigger than the shelf.
    """

    text: str
    denied: bool = False
    group: int = 0
    begins: bool = False
    at_place: bool = False
    tells: bool = False

    @property
    def is_signs(self) -> bool:
        """Whether it is Japanese or Chinese."""
        return _is_signs(self.text)


@lru_cache(maxsize=10_000)
def _is_signs(text: str) -> bool:
    return bool(_BEGINS_WITH_SIGN.match(text))


def plain(text: str) -> str:
    """Return a text in the form that words are compared in."""
    straight = unicodedata.normalize('NFKC', text).replace('’', "'")
    straight = _BROKEN.sub('broken', straight)
    return _ONE_WORD.sub(r'\1\2', humps_apart(straight).lower().replace('_', ' '))


@lru_cache(maxsize=500)
def is_english(text: str) -> bool:
    """Return whether a text in Latin letters has a word that is hardly of another language."""
    return bool(_ENGLISH.search(plain(text)))


@lru_cache(maxsize=1000)
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text that say something, grammar and questions left out."""
    text = _in_full(plain(text))
    if 'or ' in text:
        text = _NOT_ONE_OF.sub(_each_denied, text)
    speaks_japanese = bool(_KANA.search(text))
    found: list[Word] = []
    begins = True
    negation = exception = at_place = absent = False
    group = 0
    before = ''
    whose: int | None = None
    matches = [*_RUNS.finditer(text)]
    for match, following in zip_longest(matches, matches[1:]):
        kind, run = str(match.lastgroup), match.group(match.lastgroup or 0)
        then = following['word'] if following else None
        if kind == 'stop':
            begins, negation, exception = True, False, False
            continue
        if kind == 'signs':
            found += _in_signs(run, speaks_japanese, group, begins, negation)
            begins, negation = False, False
            group = max((group, *(each.group for each in found)))
            continue
        if run in EXCEPT or _EXCEPT_FIRST.get(before) == run:
            exception, group = True, group + 1
        elif run in NEGATIONS:
            negation, group, absent = True, group + 1, run in _WITHOUT
            if whose is not None:  # whose net is not ripped: it has no ripped net
                found[whose:] = [replace(each, denied=True, group=group) for each in found[whose:]]
        elif run in ('and', 'but', 'that', 'which', 'with'):
            exception = exception and run == 'with'
            negation = False
        elif run == 'than' and found and _MORE.fullmatch(before):
            found[-1] = replace(found[-1], text=f'{before} than', tells=True)
        elif (negation or exception) and run in _OF_WHAT and then is not None:
            pass  # not made of steel
        elif (
            (tells := _tells(before, run, then))
            or run not in _SILENT
            or (negation and (following is None or following['stop']))  # that is not on
        ):
            denied = negation or exception
            found.append(Word(run, denied, group if denied else 0, begins, at_place, tells))
            begins = False
            negation = negation and absent and is_closed(concepts_of(run)) and then not in _SILENT
        whose = len(found) if run == 'whose' else whose
        at_place = run in _PLACES or (at_place and run not in _OF_ITSELF)
        before = run
    return tuple(found)


def _in_full(text: str) -> str:
    """Return "can not" for "can't", which says so in one word."""
    if "'" in text or 'cannot' in text:
        for contracted, in_full in _CONTRACTED:
            text = contracted.sub(in_full, text)
    return text


def _in_signs(
    run: str, speaks_japanese: bool, group: int, begins: bool, is_denied: bool
) -> Iterator[Word]:
    """Yield the words of a run of signs; `is_denied`: "not" stands before it."""
    for each in (_japanese if speaks_japanese else _chinese)(run, group):
        word = replace(each, denied=True, group=each.group or group) if is_denied else each
        yield replace(word, begins=begins, at_place=_is_place(run, each.text))
        begins = False


def _each_denied(found: re.Match[str]) -> str:
    """Return "not red, not green" for "not red or green"."""
    parts = re.split(r',? (?:n?or) |, ', found['all'])
    return ', '.join(f'not {each}' for each in parts)


def _tells(before: str, run: str, then: str | None) -> bool:
    """Return whether a word that may be silent tells one thing from others, where it stands.

    A letter behind a word and before none names one: shelf A. "am I" and "5 m" are no names.
    """
    ends = then is None or then in _SILENT
    if len(run) == 1 and run.isalpha():
        return (
            (run != 'i' or then is None)
            and ends
            and bool(before)
            and not before.isdigit()
            and before not in _ASKING
        )
    is_behind_article = before in _ARTICLES or run == 'another'
    return run in _TELLING and is_behind_article and not ends and then != 'one'


def _is_place(run: str, text: str) -> bool:
    """Return whether something is said to lie in it: 谷にある岩, 山谷中的石头."""
    return bool(re.search(re.escape(text) + _IN_IT, run))


def _japanese(run: str, group: int) -> Iterator[Word]:
    found: list[Word] = []
    links: list[str] = []  # with what the chunk of each word ends
    *others, last = _japanese_pieces(run)
    for chunk in (*others, last):
        text, denies, excludes = chunk, _JA_NOT.search(chunk), _JA_EXCEPT.search(chunk)
        if excludes:
            group += 1
            text = chunk[: excludes.start()]
            found = [replace(each, denied=True, group=group) for each in found]
        elif denies and not chunk.startswith(_JA_UNSEEN):
            group += 1
            text = chunk[: denies.start()]
            at = len(found) - (not text)  # of the verb: いない alone denies the word before it
            if not text and found:
                found[-1] = replace(found[-1], denied=True, group=group)
            verb = text or (found[-1].text if found else '')
            if at > 0 and chunk is not last and _JA_SUBJECT.match(links[at - 1] + verb):
                found[at - 1] = replace(found[at - 1], denied=True, group=group)
        text = _without_particles(text)
        if not text or (_frames_in_japanese(text) and not text.startswith(_JA_UNSEEN)):
            continue
        denied = bool(excludes or (denies and text != chunk))
        found += _whole(Word(text, denied, group if denied else 0))
        links += [chunk[len(text) :][:1]] * (len(found) - len(links))
    yield from found


@lru_cache(maxsize=5000)
def _frames_in_japanese(text: str) -> bool:
    return bool(_JA_FRAME.fullmatch(text))


def _japanese_pieces(run: str) -> Iterator[str]:
    """Yield its phrases. It begins with no particle: はしご is one word, even where it is cut."""
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


def _chinese(run: str, group: int) -> Iterator[Word]:
    found: list[Word] = []
    denied = excludes = joins = False
    for piece in _chinese_pieces(_ZH_MEASURE.sub('', run)):
        if piece in _ZH_EXCEPT_FIRST:
            excludes, denied, group, joins = True, True, group + 1, False
            continue
        if piece in _ZH_EXCEPT or (excludes and piece in _ZH_EXCEPT_LAST):
            if not denied:
                group += 1
                found = [replace(each, denied=True, group=group) for each in found]
            denied = excludes = joins = False
            continue
        text = piece if concepts_of(piece) else _ZH_VERB.sub('', piece)
        if (rest := _after_not(text)) is not None:
            denied, group, joins, text = True, group + 1, False, rest
        if denied and not excludes:
            text = _ZH_AFTER_NOT.sub('', text)
        if text == '的' and denied and not excludes:
            denied = False
        text = text.removesuffix('的') if len(text) > 1 else text
        if not text or text in _ZH_FRAME:
            joins = False
            continue
        word = Word(text, denied, group if denied else 0)
        if joins and _are_one(found[-1].text, text):
            found[-1] = replace(found[-1], text=found[-1].text + text)
        else:
            found.append(word)
        joins = True
        if piece.endswith('的') and denied and not excludes:
            denied = False
    for word in found:
        yield from _whole(word)


def _after_not(piece: str) -> str | None:
    """Return what a piece denies; None: it denies nothing."""
    if piece in _ZH_FRAME:
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


def _are_one(one: str, other: str) -> bool:
    """Return whether two pieces that stand side by side are one word: 池 and 塘, not 红 and 车."""
    if named_as(one + other):
        return True
    return min(len(one), len(other)) == 1 and not concepts_of(one) and not concepts_of(other)


def _whole(word: Word) -> Iterator[Word]:
    """Yield a word, or its quality and the rest: 木长椅 is of wood and a bench."""
    quality, rest = apart(word.text)
    for text in (quality, rest) if quality else (word.text,):
        yield replace(word, text=text)


@cache
def _chinese_names() -> re.Pattern[str]:
    names = {
        *names_in_signs(),
        *(each for each in _ZH_FRAME if len(each) > 1),
        *_ZH_EXCEPT,
        *_ZH_UNSEEN,
    }
    return re.compile('|'.join(sorted(names, key=len, reverse=True)))
