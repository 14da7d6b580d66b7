"""Synonyms in English, Japanese and Chinese, grouped into concepts. Pure.

A sentence encoder knows that a boulder is a rock, but gives red and green, deep and shallow, north
and south nearly the same similarity. So qualities are compared by this table alone. Kinds of
things may also be compared by their vectors, unless `kinds.txt` has both words: a gate is similar
to a door, and is none. docs/decisions/0085-every-word-is-carried.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
import re

from embodied_nav.retrieval.dictionary import senses_of
from embodied_nav.retrieval.tokens_and_word_forms import root

MOST_CUT = 2  # letters that a word's root may lack: a kitten is no kit

# Qualities of a thing: a word of these is matched by its own concept, or not at all.
_QUALITIES = """
red reddish crimson scarlet vermilion 赤 朱 紅 红 レッド
blue bluish navy azure 青 藍 蓝 ブルー
green greenish 緑 绿 綠 みどり グリーン
yellow yellowish 黄 黃 イエロー
orange オレンジ 橙 橘
white whitish 白 しろい ホワイト
black blackish 黒 黑 くろい ブラック
grey gray 灰色 灰 グレー
brown brownish 茶色 褐 棕
purple violet 紫 むらさき
pink ピンク 桃色 粉色 粉红
gold golden 金色 黄金 金の 金
silver 銀 银 シルバー
wood wooden timber 木製 木头 木质 木の 木造 木
metal metallic 金属
iron 鉄 铁
steel 鋼 钢 スチール
tin ブリキ 锡
copper 銅 铜
brass 真鍮 黄铜
bronze 青銅 青铜 ブロンズ
aluminium aluminum アルミ 铝
plastic プラスチック 塑料 樹脂
glass ガラス 玻璃
concrete cement コンクリート 混凝土 水泥
brick 煉瓦 レンガ れんが 砖
marble 大理石
rubber ゴム 橡胶
big large huge giant enormous 大き 巨大 大型 大的 很大 大
small little tiny 小さ ちいさ 小型 小的 很小 小
tall high 高い 高く 高的 很高 高
low 低い 低 矮
short 短い 短
long 長い 長 长
old ancient aged 古い 古びた 古老 古 旧 老
new 新しい 新 崭新
young 若い 年轻
deep 深い 深
shallow 浅い 浅
thick 厚い 太い 厚 粗
thin slim 薄い 細い 薄 细
wide broad 広い 宽
narrow 狭い 窄
wet damp soaked 濡れ 湿った 湿
dry dried 乾いた 乾 干的 干燥 干涸
hot 熱い 热
cold 冷たい 冷
frozen icy 凍 冻 结冰
empty vacant 空っぽ 空の 空的
full filled いっぱい 満 满
open opened 開いた 開 打开 敞开 开着
closed shut 閉じ 閉ま 閉 关闭 关着
locked padlocked 施錠 鍵のかかった 上锁 锁着 锁
broken damaged smashed torn 故障 壊れ 壊 折れ 切れた 切れて 破れ 破損 坏 损坏 断了 破损 破
cracked fractured split cleft 割れ ひび 裂 开裂
bent crooked 曲がっ 弯
rusty rusted corroded 錆び 錆 さび 生锈 锈
burnt burned charred 焦げ 焼け 燃え 烧焦 烧毁
round rounded circular 丸い 丸 円形 円 圆
square 四角 方形 正方
flat level 平ら 平坦 平たい 平 扁
pointed sharp 尖
smooth polished 滑らか 光滑
soft loose 柔らか 軟らか 柔软 软 松软
hard 硬い 硬
bright 明るい 明亮 亮
dark 暗い 暗
dirty 汚れ 泥だらけ 脏
clean きれい 干净
melted molten 溶けた 融化 熔化
hollow 空洞 中空 空心
striped 縞模様 条纹
steep 急な 陡
igneous volcanic 火成 火山性
sedimentary 堆積 沉积
metamorphic 変成 变质
layered banded bedded stratified 層 層状 层 层状 层理
left 左
right 右
top 頂上 顶部
bottom 底
front 正面
back rear hind
upper
lower
inner
outer
middle central 中央 中间 真ん中
north northern 北
south southern 南
east eastern 東 东
west western 西
two 2 double twin 二つ 二 ２ 两 ふたつ
three 3 triple 三つ 三 みっつ
four 4 四つ 四 よっつ
five 5 五つ 五
six 6 六つ 六
seven 7 七つ 七
eight 8 八つ 八
nine 9 九つ 九
ten 10 十
twelve 12 十二
"""
_GENERAL = """
vehicle: car truck van bus train bicycle motorcycle
vehicle: scooter tractor forklift excavator rover taxi ambulance
vehicle: fire_engine police_car tram tank_truck
vehicle: garbage_truck snow_plough trailer airplane helicopter
machine: generator pump engine forklift excavator crane printer robot computer vending_machine
animal: dog cat bird duck horse cow sheep goat fish fox
animal: elephant camel lion tiger bear monkey rabbit pig chicken snake
animal: frog turtle butterfly rat penguin deer wolf bee carp
building: house shed garage barn church temple shrine
building: school hospital pharmacy shop factory hotel greenhouse library
building: cinema theatre museum town_hall post_office
building: police_station fire_station castle bank restaurant bakery
seat: bench chair stool sofa
person: man woman child
plant: tree bush flower grass
tool: hammer shovel wrench saw
metal: iron steel tin copper brass bronze aluminium
broken: cracked bent
cold: frozen
closed: locked
rock: marble brick pebble
hole: drill_hole
water: river pond lake sea fountain
"""
_IMPLIED = {  # what is of steel is of metal, too; not the other way round
    each.replace('_', ' '): name
    for name, _, some in (line.partition(': ') for line in _GENERAL.strip().splitlines())
    for each in some.split()
}
_OTHER_COMPOUNDS = frozenset(  # start with a character of the table and mean something else
    """
    木材 石油 石炭 石灰 石けん 石膏 白板 黑板 黒板 红绿灯 大人 大学 大学生 大使馆 小学 小学校
    小学生 小麦 金庫 金网
    金魚 金鱼 金具 银行 銀行 铁路 鉄道 鉄橋 青年 黄昏 三角 三角形 三脚 四角 四角形 五金 六角 八角
    十字 十字架 土砂 西红柿 西兰花 西葫芦
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
_NAME_PARTS = frozenset(  # part of a word of two signs more often than not: 小屋, 東京
    ['big', 'small', 'new', 'north', 'south', 'east', 'west', 'left', 'right']
)
_CJK = re.compile('[぀-ヿ㐀-鿿豈-﫿々ー]')
_PARTICLE_PREFIX = re.compile('^[いなの的]')
FEWEST_BEFORE = 2  # characters before a noun that qualify it: 電車 is one word
_ENDING = re.compile(
    '(?:[ぁ-ん]+|色[のいな的]?|製の?|造り?の?|质的?|型の?|的|掉|开|了|着|个|個|条|本|枚|台|只|块)*'
)


def _table(text: str) -> list[list[str]]:
    lines = (line for line in text.strip().splitlines() if not line.startswith('#'))
    return [[each.replace('_', ' ') for each in line.split()] for line in lines]


def _concepts_by_word(groups: Iterable[list[str]]) -> dict[str, tuple[str, ...]]:
    """Return the concepts of each word, and of each root that is no other concept's word."""
    found: dict[str, list[str]] = {}
    for group in groups:
        for each in group:
            found.setdefault(each, []).append(group[0])
    roots = {
        short: names
        for each, names in found.items()
        if not _CJK.match(each) and len(short := root(each)) >= len(each) - MOST_CUT
    }
    return {each: tuple(names) for each, names in (roots | found).items()}


_KINDS = files('embodied_nav.retrieval').joinpath('kinds.txt').read_text('utf-8')
_GROUPS = [*_table(_QUALITIES), *_table(_KINDS)]
_CONCEPTS = _concepts_by_word(_GROUPS)
_QUALITY_CONCEPTS = frozenset(group[0] for group in _table(_QUALITIES))
_WORDS_OF_CONCEPT = {group[0]: tuple(group) for group in _GROUPS}
_LONGEST_FIRST = sorted((each for each in _CONCEPTS if _CJK.match(each)), key=len, reverse=True)
_CONCEPT_NAMES = [group[0] for group in _GROUPS]
QUALITIES = tuple(group[0] for group in _table(_QUALITIES))
_COLOURS = frozenset(_CONCEPT_NAMES[: _CONCEPT_NAMES.index('wood')])
_MATERIALS = frozenset(_CONCEPT_NAMES[_CONCEPT_NAMES.index('wood') : _CONCEPT_NAMES.index('big')])
_ALWAYS_SPLIT = frozenset(  # colours, materials and numbers
    (
        *_CONCEPT_NAMES[: _CONCEPT_NAMES.index('big')],
        *_CONCEPT_NAMES[_CONCEPT_NAMES.index('two') : _CONCEPT_NAMES.index('rock') + 1],
        'old',
    )
)


@lru_cache(maxsize=20_000)
def concepts_of(word: str) -> tuple[str, ...]:
    """Return the concepts of a word, named after their first words; most words have none."""
    if found := exact_concepts(word):
        return found
    if not _CJK.match(word):
        return ()
    concepts, remainder = _split_prefix(word)
    if concepts and _ENDING.fullmatch(remainder):
        return concepts
    ends = (_CONCEPTS.get(word[at:], ()) for at in range(1, len(word)))  # its head: 移动起重机
    head = next((some for some in ends if is_kind(some)), ())
    return head if not head or _fits_dictionary(word, head) else ()


def _fits_dictionary(word: str, head: Sequence[str]) -> bool:
    """Return whether the dictionary does not contradict that a word is what its head is.

    隕石 ends like a stone, 除湿机 like the Japanese word for a desk; neither is one.
    """
    senses = {part for each in senses_of(word) for part in each.split('+')}
    return not senses or any(
        not senses.isdisjoint(senses_of(other))
        for concept in head
        for other in words_of_concept(concept)
        if other.isascii()
    )


def exact_concepts(text: str) -> tuple[str, ...]:
    """Return the concepts that have a word, or a name of two words, literally."""
    return _CONCEPTS.get(text) or (() if _CJK.match(text) else _CONCEPTS.get(root(text), ()))


def cjk_names() -> Iterator[str]:
    """Yield the Japanese and Chinese words of the concepts that have several characters."""
    return (each for each in _LONGEST_FIRST if len(each) > 1)


@lru_cache(maxsize=20_000)
def split_compound(word: str) -> tuple[str, str]:
    """Return the quality that a Japanese or Chinese word starts with, and the rest of it.

    木长椅 is wood and 长椅; both are empty for a word that is no such compound.
    """
    if not _CJK.match(word) or word in _OTHER_COMPOUNDS or exact_concepts(word):
        return '', ''
    concepts, remainder = _split_prefix(word)
    if remainder and not _ENDING.fullmatch(remainder):
        if any(
            each in _ALWAYS_SPLIT or (each in _NAME_PARTS and len(remainder) > 1)
            for each in concepts
        ):
            return word[: -len(remainder)], remainder
        head = _PARTICLE_PREFIX.sub('', remainder)
        if is_quality(concepts) and is_kind(exact_concepts(head)):  # 丸い岩, 空心石头
            return word[: -len(head)], head
    return _split_head(word)


def _split_head(word: str) -> tuple[str, str]:
    """Return what precedes the noun that a word ends with, and the noun: 恐竜 and 岩."""
    for at in range(FEWEST_BEFORE, len(word)):
        if is_kind(_CONCEPTS.get(word[at:], ())):
            return word[:at], word[at:]
    return '', ''


def is_quality(concepts: Iterable[str]) -> bool:
    """Return whether one of the concepts is a quality, which only its own words match."""
    return any(each in _QUALITY_CONCEPTS for each in concepts)


def is_measured(concepts: Iterable[str]) -> bool:
    """Return whether one of the concepts is a colour, material or number."""
    return any(each in _ALWAYS_SPLIT for each in concepts)


def alternatives_to(concepts: Iterable[str]) -> frozenset[str]:
    """Return the other colours of a colour, or materials of a material: no blue one is red."""
    same = with_implied(concepts)  # what is of metal may be of steel
    return frozenset().union(*(each for each in (_COLOURS, _MATERIALS) if each & same)) - same


def is_kind(concepts: Iterable[str]) -> bool:
    """Return whether one of the concepts is a kind of thing; no thing is of two kinds."""
    return any(each not in _QUALITY_CONCEPTS for each in concepts)


def with_implied(concepts: Iterable[str]) -> frozenset[str]:
    """Return concepts with those that they imply: what is of steel is of metal."""
    found = {*concepts}
    return frozenset(found | {_IMPLIED[each] for each in found if each in _IMPLIED})


def words_of_concept(concept: str) -> tuple[str, ...]:
    """Return the words of a concept."""
    return _WORDS_OF_CONCEPT.get(concept, ())


def _split_prefix(word: str) -> tuple[tuple[str, ...], str]:
    for each in _LONGEST_FIRST:
        if word.startswith(each) and word not in _OTHER_COMPOUNDS:
            return _CONCEPTS[each], word[len(each) :]
    return (), ''
