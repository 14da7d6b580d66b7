"""Recognises stop, pause, resume, new goal and questions in English, Japanese and Chinese.

An utterance is a command only if all of it is in the tables below: the command itself, and words
of politeness, urgency and address around it. Nothing is searched for inside a sentence,
so "do not stop until it is bright", 止まらずに進んで and 停车场在哪里 are left to the planner,
while a lone "stop" stops however it is written. Ambiguous words count as what costs less: "stop
for a moment" is a pause, in which the robot stands too, and the goal is kept.

A text that is not clearly a question counts as a request to act, for which an answer alone is no
success. "Can you drive on?" requests a drive; so does "What do you see? Then drive on".
"""

from __future__ import annotations

from dataclasses import dataclass
import re
from typing import Literal, TypeAlias
import unicodedata

UtteranceKind: TypeAlias = Literal['stop', 'pause', 'resume', 'new_goal', 'normal']


@dataclass(frozen=True)
class Utterance:
    """A text with its meaning. `text`: of `new_goal` the goal alone, else the whole text."""

    kind: UtteranceKind
    text: str


def recognise(text: str) -> Utterance:
    """Return the meaning of a text; only the caller knows whether there is a pause to resume."""
    goal = _new_goal(text)
    command = text if goal is None else goal
    kind = _command(command) or ('normal' if goal is None else 'new_goal')
    return Utterance(kind, command.strip())


# --- the tables: phrases between bars, in any order ------------------------------------------

_STOP = """
stop | stop it | stop that | stop here | stop there | stop right here | stop right there
stop what you are doing | full stop | halt | freeze | do not move | don't move | estop | e-stop
abort | cancel | safe stop | safe_stop | safestop | abort it | abort this | abort that | cancel it
cancel this | cancel that | stop this | stand still | stay still | hold still | keep still
stay put | stay where you are | come to a stop | come to a halt | brake | whoa | whoa there
止まれ | 止まって | 止まりなさい | 止めて | 止めろ | とまれ | とまって | とめて | とめろ
停まれ | 停まって | 停まりなさい | 停めて | 停めろ | とまりなさい | とまれって | 止まれって
ストップ | ストップして | 停止 | 停止して | 停止しろ | 停止せよ | 非常停止 | 緊急停止 | 急停止
やめて | やめろ | やめなさい | 中止 | 中止して | 中止しろ | 動くな | 動かないで
停 | 停下 | 停下来 | 停住 | 停车 | 停止前进 | 停止移动 | 停止运动 | 停止行驶 | 停止任务
紧急停止 | 紧急停车 | 紧急刹车 | 急停 | 站住 | 住手 | 刹车 | 煞车 | 刹住 | 打住 | 别动 | 别动了
不要动 | 不许动 | 别走了 | 别开了 | 终止 | 终止任务 | 中止任务 | 取消 | 取消任务
"""
_PAUSE = """
pause | wait | wait here | wait a moment | wait a minute | wait a second | wait a bit
wait a sec | one moment | a moment | just a moment | just a minute | just a second | hold
hold on | hold it | hang on | stand by | stop for a moment | stop for a minute
stop for a second | stop for a while
一時停止 | 一時停止して | 一旦停止 | 一旦停止して | いったん停止 | 一旦止まって
いったん止まって | ちょっと止まって | 少し止まって | 待って | 待て | 待ってて | ちょっと待って
ちょっと待て | 少し待って | お待ちください | 待機 | 待機して | 中断 | 中断して | 一時中断 | 休止
ポーズ
暂停 | 暂停一下 | 停一停 | 停一下 | 停一会 | 停一会儿 | 等 | 等等 | 等一下 | 等一等 | 等一会
等一会儿 | 等会 | 等会儿 | 稍等 | 稍等一下 | 等我一下
"""
_RESUME = """
resume | continue | go on | carry on | keep going | proceed | unpause
再開 | 再開して | 再開しろ | 再開せよ | 続けて | 続けろ | つづけて | 続行 | 続行して | 続行せよ
继续 | 继续走 | 继续前进 | 继续任务 | 恢复 | 恢复任务 | 恢复运行 | 接着走
"""
_NEW_GOAL = """
new goal | new task | new mission | change goal | change the goal | change of plan
change of plans | instead | do this instead
新しい目標 | 新しいゴール | 新しい任務 | 新目標 | 目標変更 | 目標を変更 | 予定変更 | 代わりに
かわりに
新目标 | 新的目标 | 新任务 | 新的任务 | 换个目标 | 更换目标 | 目标改为 | 改为 | 改成 | 计划有变
"""
_FRAME = """
please | pls | plz | now | right now | right away | at once | immediately | asap | quick
quickly | hey | ok | okay | no, | can you | could you | would you | will you | you can | you may
you must | i said | i want you to | just | emergency | danger | everything | all | driving
moving | motion | rover | the rover | robot | the robot | curiosity | goal | goals | the goal
task | tasks | the task | mission | the mission | the motors | the wheels | ah | oh | ow
ください | 下さい | くれ | お願い | お願いします | おねがい | おねがいします | 今 | 今すぐ
いますぐ | すぐ | すぐに | 直ちに | ただちに | 早く | はやく | もう | 急いで | 危ない | よ | ね
あぶない | はい | そこで | その場で | おい | おいおい | わっ | あっ | ちょっ | どうどう
っ | 全部 | すべて | ローバー | ローバーを | ロボット | ロボットを | 走行 | 走行を | 移動
移動を | 任務 | 任務を
请 | 快 | 快点 | 赶快 | 赶紧 | 马上 | 立刻 | 立即 | 现在 | 给我 | 先
原地 | 哎 | 哎呀 | 哎哟 | 喂 | 吁 | 嘘 | 吧 | 啊 | 呀 | 啦 | 都 | 全部 | 危险 | 麻烦 | 让
机器人 | 火星车 | 漫游车 | 小车
"""

_SEPARATOR = re.compile('[:：,，、–—]')
_LONGEST_HEAD = 80  # characters before the separator of "new goal: …"
_SHOUT_ENDS = re.compile('[!！]')
_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
# The tables have simplified characters; Japanese ones among these change in both.
_TO_SIMPLIFIED = str.maketrans(
    '來別動務終會兒暫繼續進復運標換個計劃變為請點趕緊馬現給險煩讓機車許剎駛噓喲',
    '来别动务终会儿暂继续进复运标换个计划变为请点赶紧马现给险烦让机车许刹驶嘘哟',
)


def _plain(text: str) -> str:
    """Normalise a text: one form of each character; marks become commas or spaces."""
    plain = unicodedata.normalize('NFKC', ''.join(map(_plain_character, text))).casefold()
    plain = ''.join(each for each in plain if unicodedata.category(each)[0] != 'M')
    plain = plain.translate(_TO_HIRAGANA).translate(_TO_SIMPLIFIED)
    plain = plain.replace('ー', '')  # ストーップ, 止まれー
    plain = re.sub(r'(.)\1{2,}', r'\1', plain)  # stooop, 停停停
    return re.sub(r'[ ,]*,[ ,]*', ',', re.sub(' +', ' ', plain)).strip(' ')


def _plain_character(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] in 'LNM':
        return character
    if category == 'Cf':  # zero-width marks
        return ''
    return ' ' if category[0] == 'Z' or category in ('Cc', 'Pd', 'Pc') else ','


def _phrases(table: str) -> list[str]:
    return [_plain(each) for each in re.split(r'[|\n]', table) if each.strip()]


_MEANINGS: dict[str, UtteranceKind | Literal['']] = {
    **dict.fromkeys(_phrases(_FRAME), ''),
    **dict.fromkeys(_phrases(_NEW_GOAL), 'new_goal'),
    **dict.fromkeys(_phrases(_RESUME), 'resume'),
    **dict.fromkeys(_phrases(_PAUSE), 'pause'),
    **dict.fromkeys(_phrases(_STOP), 'stop'),
}
_PHRASE = re.compile(
    '|'.join(
        re.escape(each) + ('(?![a-z0-9])' if each[-1].isascii() and each[-1].isalnum() else '')
        for each in sorted(_MEANINGS, key=len, reverse=True)
    )
)
_GAP = re.compile('[ ,]*')


def _meanings(text: str) -> set[str] | None:
    """Return the meanings of a text's phrases; None: a part of it is in no table."""
    plain = _plain(text)
    found: set[str] = set()
    at = _skip_gap(plain, 0)
    while at < len(plain):
        phrase = _PHRASE.match(plain, at)
        if phrase is None:
            return None
        found.add(_MEANINGS[phrase[0]])
        at = _skip_gap(plain, phrase.end())
    return found - {''}


def _skip_gap(plain: str, at: int) -> int:
    gap = _GAP.match(plain, at)
    return gap.end() if gap else at


def _command(text: str) -> Literal['stop', 'pause', 'resume'] | None:
    """Return the one command of a text. "Wait, stop!" is a stop; so is "Stop! A cliff!"."""
    shout = _SHOUT_ENDS.split(text.lstrip(' !！'), maxsplit=1)[0]
    meanings = _meanings(text)
    if _meanings(shout) == {'stop'} or meanings in ({'stop'}, {'stop', 'pause'}):
        return 'stop'
    if meanings == {'pause'}:
        return 'pause'
    return 'resume' if meanings == {'resume'} else None


def _new_goal(text: str) -> str | None:
    """Return what follows "new goal:" or a similar phrase."""
    for separator in _SEPARATOR.finditer(text, 0, _LONGEST_HEAD):
        head = _meanings(text[: separator.start()])
        if head is None:
            return None
        rest = text[separator.end() :].strip()
        if head in ({'new_goal'}, {'new_goal', 'stop'}) and rest:
            return rest
    return None


_ASKS = re.compile(
    r'(?:please |now |and |ok |okay |hey )*(?:'
    r"(?:what|which|where|when|who|whose|why|how)(?:'s|'re)?\b"
    r'|(?:is|are|am|was|were|does|did|has|had|may|should)\b'
    r'|(?:do|have) (?:you|we|i|they|there|any|all)\b'
    r'|(?:(?:can|could|will|would) you (?:please )?)?'
    r'(?:tell|say|show|list|describe|explain|report|name|summari[sz]e|answer|read|help|hello|hi'
    r'|thanks|thank you|see|hear)\b'
    r')'
)
_REQUEST = re.compile(
    r'(?:please )*(?:can|could|will|would|may|shall) (?:you|we|i)\b|(?:let us|lets)\b'
)
_DOES = (
    'drive|go|move|turn|take|open|close|raise|lower|come|rotate|capture|stop|navigate|nudge|head'
    '|return|look|find|explore|reach|follow|approach|park|wait|start|begin'
)
_THEN_DOES = re.compile(
    rf'(?:^|[.!?;,\n]|\band|\bthen)\s*(?:then |please |and |now )*(?:{_DOES})\b'
)
_ASKS_JA = re.compile(
    r'(?:教えて|見せて|説明して|報告して|聞かせて)(?:ください|下さい|くれ|ほしい|欲しい)?(?:[。.!?]|$)'
)
_QUESTION_JA = re.compile(
    r'(?:か|の|かな|だい)[。?]*$|(?:何|なに|どこ|いつ|誰|だれ|なぜ|どう|いくつ|どれ|どの).*[?]$'
)
_REQUEST_JA = re.compile(r'(?:くれ|もらえ|いただけ|くださ|下さ)(?:ます|ません|る|ない)か?[。?]*$')
_ASKS_ZH = re.compile(r'^(?:请)?(?:告诉|说明|描述|列出|报告|介绍|什么|哪|谁|怎么|为什么|多少|几)')
_WHAT_ZH = re.compile(r'(?:什么|哪|谁|怎|多少|几).*[?]$')
_QUESTION_ZH = re.compile(r'(?:吗|呢|么)[。?]*$')
_REQUEST_ZH = re.compile(r'^(?:请)?(?:你)?(?:能|可以|能不能|可不可以|麻烦)')


def is_question(text: str) -> bool:
    """Return whether a text asks for an answer, and for nothing else."""
    plain = ' '.join(unicodedata.normalize('NFKC', text).casefold().split())
    if _THEN_DOES.search(plain) or not plain:
        return False
    if plain.isascii():
        if _ASKS.match(plain):
            return True
        return plain.endswith('?') and not _REQUEST.match(plain)
    always = (_ASKS_JA.search(plain), _ASKS_ZH.match(plain), _WHAT_ZH.search(plain))
    if any(always) or _ASKS.match(plain):
        return True
    if _REQUEST_JA.search(plain) or _REQUEST_ZH.match(plain) or _REQUEST.match(plain):
        return False
    return bool(_QUESTION_JA.search(plain) or _QUESTION_ZH.search(plain) or plain.endswith('?'))
