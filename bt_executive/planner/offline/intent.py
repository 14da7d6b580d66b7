"""What a goal asks for, from its words in English, Japanese or Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
import re
from typing import Literal
import unicodedata

Language = Literal['en', 'ja', 'zh']

_KANA = re.compile(r'[぀-ヿ]')
_HAN = re.compile(r'[一-鿿]')

_LIGHT = re.compile(
    r'\b(bright|light|dark|texture|ground|soil|surface|terrain|rocks?\b|survey|investigat|explor'
    r'|analy[sz]|examin|inspect|good (picture|photo|image))'
    r'|明る|暗|テクスチャ|地面|地表|岩|調査|調べ|探査|探索|分析|解析'
    r'|亮|纹理|紋理|地表|岩石|调查|調查|探索|分析',
    re.IGNORECASE,
)
_PICTURE = re.compile(
    r'picture|photo|image|capture|snapshot|look around|what do you see'
    r'|写真|撮|画像|見え|照片|拍|图像|圖像|看到',
    re.IGNORECASE,
)
_STATUS = re.compile(
    r'status|state\b|where are you|position|pose\b|how are you|report'
    r'|状態|ステータス|位置|どこ|状态|狀態|在哪|报告',
    re.IGNORECASE,
)

_STOP = re.compile(r'\b(stop|halt|freeze)\b|止ま|停止|ストップ|停下', re.IGNORECASE)
# Commands for one tool. In each part of a goal the first pattern that fits counts; the tools after
# the first are taken where the first is not offered.
_COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r'open\b.*\bmast|mast\b.*\bopen|マスト.*(開|展開)|(打开|展开|升起).*桅|桅.*(打开|展开|升起)',
        ('mast_open',),
    ),
    (
        r'(close|stow|fold)\b.*\bmast|マスト.*(閉|収納|畳)|(关闭|收起|收回).*桅|桅.*(关闭|收起|收回)',
        ('mast_close',),
    ),
    (
        r'(rotate|turn|sweep|pan)\b.*\bmast|マスト.*(回|旋回)|(旋转|转动).*桅|桅.*(旋转|转动)',
        ('mast_rotate',),
    ),
    (r'\bturn\b.*\bleft|\bleft turn|左.*(曲|回|旋回|向)|左转|左轉', ('turn_left',)),
    (r'\bturn\b.*\bright|\bright turn|右.*(曲|回|旋回|向)|右转|右轉', ('turn_right',)),
    (r'\bnudge\b|少し.*(前|進)|前进一点', ('move_nudge', 'move_forward')),
    (
        r'\b(drive|move|go|roll|advance)\b.*\b(forward|ahead)\b|\bforward\b|前進|前に|進ん|進め'
        r'|前进|向前',
        ('move_forward', 'move_nudge'),
    ),
)
_LOOK, _ASK = ('capture_and_score',), ('get_status',)
# Where one part of a goal ends and the next begins. In Japanese the verb does it.
_PARTS = re.compile(
    r'\b(?:and|then|next|afterwards|finally)\b|[,;.!&\n]|[、。，；！]|その後|それから|次に|[てで]|然后|再|并',
    re.IGNORECASE,
)
# Whether it is so. "Could you …?", …もらえますか and 能…吗 are requests, not questions.
_QUESTION = re.compile(
    r'^\s*(is|are|was|were|what|where|which|why|how|has|have (you|we)|did|does)\b'
    r'|(?<!い)(?<!し)ですか|したか|[てで]い?(ます|る)(か|[?？])|^(?!.*[能可请麻帮]).*吗',
    re.IGNORECASE,
)
# What is forbidden rather than asked for. A stop is always obeyed.
_NOT = re.compile(
    r"\b(not|never|don't|dont|without|no)\b|ないで|するな|禁止|不要|不许|别", re.IGNORECASE
)


_GO = re.compile(
    r'\b(go|goto|drive|move|navigate|head|travel|get to|reach)\b'
    r'|行|移動|向か|進|走|前往|去|开到|到达',
    re.IGNORECASE,
)
_NUMBER = r'[\s=:は]{0,3}([-+]?\d+(?:\.\d+)?)'
_PLACES = (
    re.compile(rf'\bx{_NUMBER}[^-+\d]{{0,8}}?y{_NUMBER}', re.IGNORECASE),
    re.compile(rf'\({_NUMBER}\s*m?\s*[,、]{_NUMBER}\s*m?\s*\)'),
)


@dataclass(frozen=True)
class Intent:
    """What is wanted.

    Light (a good picture), one picture, a status, commands, to be at a place, or unknown.
    `place`, m in the frame of get_status, is where to go first. `commands` are carried out in
    their order; each is a choice of tools, the best one first.
    """

    kind: Literal['light', 'picture', 'status', 'commands', 'place', 'unknown']
    language: Language
    commands: tuple[tuple[str, ...], ...] = ()
    place: tuple[float, float] | None = None


def understand(goal: str) -> Intent:
    """Reads a goal. What needs a good picture wins over places, these over commands."""
    language = language_of(goal)
    place = _place_in(goal)
    if place and _NOT.search(goal):
        return Intent('unknown', language)
    if _LIGHT.search(goal):
        return Intent('light', language, place=place)
    if place and _PICTURE.search(goal):
        return Intent('picture', language, place=place)
    if place and _GO.search(goal):
        return Intent('place', language, place=place)
    commands = _commands_in(goal)
    if commands and _QUESTION.search(goal):  # whether it is so, not to make it so
        return Intent('picture' if _PICTURE.search(goal) else 'status', language)
    if commands == (_LOOK,):
        return Intent('picture', language)
    if commands == (_ASK,):
        return Intent('status', language)
    return Intent('commands' if commands else 'unknown', language, commands)


def _commands_in(goal: str) -> tuple[tuple[str, ...], ...]:
    """The commands of a goal in their order.

    A stop is obeyed alone; where something is forbidden, only looking and asking is left.
    """
    if _STOP.search(goal):
        return (('move_stop',),)
    if _NOT.search(goal):
        return tuple(filter(None, [_sense_in(goal)]))
    found = [each for part in _PARTS.split(goal) if (each := _command_in(part))]
    found = found or list(filter(None, [_command_in(goal)]))
    known = (_LOOK, _ASK)  # twice in a row, it says nothing new
    return tuple(b for a, b in pairwise([(), *found]) if a != b or b not in known)


def _command_in(text: str) -> tuple[str, ...]:
    fits = (tools for pattern, tools in _COMMANDS if re.search(pattern, text, re.IGNORECASE))
    if tools := next(fits, ()):
        return tools
    return _sense_in(text)


def _sense_in(text: str) -> tuple[str, ...]:
    if _PICTURE.search(text):
        return _LOOK
    return _ASK if _STATUS.search(text) else ()


def _place_in(goal: str) -> tuple[float, float] | None:
    """The first place that is named by its coordinates."""
    text = unicodedata.normalize('NFKC', goal).replace('\u2212', '-')
    found = next(filter(None, (pattern.search(text) for pattern in _PLACES)), None)
    return (float(found[1]), float(found[2])) if found else None


def language_of(text: str) -> Language:
    """Japanese if it has kana, Chinese if it has only Han characters, otherwise English."""
    if _KANA.search(text):
        return 'ja'
    return 'zh' if _HAN.search(text) else 'en'
