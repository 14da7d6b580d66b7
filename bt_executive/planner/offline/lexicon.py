"""The words of commands in English, Japanese and Chinese, each with its meaning.

A meaning is the word that names of tools use. Words that stand in no line mean themselves.
"""

from __future__ import annotations

import re

# Meanings that no text has, because texts are read in lower case.
ASKS, QUERIES, TELLS, REQUESTS = 'ASKS', 'QUERIES', 'TELLS', 'REQUESTS'
BREAKS, FILLS, FILLS_NAMES = 'BREAKS', 'FILLS', 'FILLS_NAMES'
JOINING = {ASKS, QUERIES, TELLS, REQUESTS, BREAKS, FILLS, FILLS_NAMES}
AGAIN, CONDITION = 'again', 'when'
PAST = {'opened', 'closed'}  # they say how something is, not what to do
# Wishes, and what joins them to others.
CLAUSES = (JOINING - {FILLS, FILLS_NAMES}) | {AGAIN, CONDITION, 'every', 'ordered'}
CLAUSES |= {'move', 'turn', 'open', 'close', 'take', 'stop', 'wait', 'analyze', 'find', 'see'}
CLAUSES |= {'watch', 'speak'}

# meaning: the words for it. What begins a line twice is one meaning in two lines. `_` is a blank.
# ASKS         asks for something, also beside a request: “what can you …”
# QUERIES      makes a question of a sentence, unless it is a request: “could you …?”
# FILLS        says nothing. Only what can neither be a word of its own in a command nor change one
# FILLS_NAMES  the same in names and descriptions of tools
_TABLE = """
move: drive go roll advance navigate travel head driving moving 進 進む 進め 行 行っ 行く 行け 移動
move: 移动 移动到 向か 向かっ 向かう 走 走っ 走る 前往 去 到 开到
forward: forwards ahead straight straight_ahead 前に 前へ 前方 まっすぐ 向前 往前
move forward: 前進 前进
nudge: slightly bit little 少し ちょっと 一点 一点点
turn: rotate sweep pan swing 回っ 回る 回し 回す 回転 旋回 曲が 曲がっ 曲がる 向い 向く 向け
turn: 旋转 转动 转 轉
left: 左 向左
right: 右 向右
turn left: 左折
turn right: 右折
open: raise unfold deploy extend opened 開 開け 開ける 開い 開く 展開 开 打开 展开 升起
close: stow lower fold retract shut closed 閉 閉じ 閉じる 閉め 閉める 閉まっ 収納 畳 畳む
close: 关闭 收起 收起来 收回
mast: マスト 桅杆
take: capture shoot 撮 撮っ 撮る 拍
picture: photo image photograph snapshot 写真 画像 照片 图像 圖像
take picture: 撮影 拍照 拍照片
stop: halt freeze brake 止 止ま 止まっ 止まる 止まれ 止め 止める 停止 停下 ストップ
wait: sleep 待 待っ 待つ 等待 等
speak: say tell 告诉
status: state 状態 ステータス 状态 狀態
battery: charge バッテリー 電池 充電 电池 电量
position: pose 位置
bright: brighter light good 明る 明るい 明亮 亮
place: spot location 場所 地方
ground: soil surface terrain 地面 地表
texture: テクスチャ 纹理 紋理
analyze: analyse examine inspect investigate study survey 調査 調べ 調べる 分析 解析 调查 調查
find: seek search look 探 探し 探す 寻找 找
see: seen visible describe view 見え 見 見る 看
front: in_front_of in_front 前 正面 前面 面前
rock: stone boulder 岩 石 石头
around: surroundings まわり 周り 周囲 周围
screen: desktop monitor display 画面 デスクトップ 屏幕 桌面
watch: watching 監視 监视
every: ごと おき 每隔
dark: darker 暗くな 変暗 暗くなっ
something: anything 何か
when: if たら
on: オン つけ 点け
off: オフ 消
remaining: 残量 残り 还剩 剩下 剩
ASKS position: where どこ 在哪里 在哪 哪里
ASKS: is are what which has does how_much how_many is_there are_there
ordered: tell_me_to tell_us_to ask_me_to
ASKS: 何 いくら どのくらい どれくらい 什么 多少 有多少
QUERIES: ですか ますか いますか いるか ましたか たか 吗 了吗
TELLS: tell_me tell_us report show 教え 見せ 報告 告诉我 报告
REQUESTS: can_you could_you would_you will_you i_want_you_to i'd_like_you_to i_would_like_you_to
REQUESTS: 能 可以 もらえますか もらえませんか くださいますか くれますか くれませんか
REQUESTS: いただけますか もらっていいですか もらってもいいですか
BREAKS: and then next afterwards finally
BREAKS: てから してから んでから て して んで そして その後 それから 次に 然后 然後 再 并 接着
FILLS: a an the you your rover robot me to now just for by please
FILLS: ください 下さい お願いします 请 帮 麻烦
FILLS: ローバー ロボット 現在 今 私 を に へ で は が の も と する します させ せよ よ ね 間 座標
FILLS: 把 一下 一张 张 我 你 的 给我 现在 火星车 漫游车 机器人
FILLS_NAMES: of in at with
"""

# Words of what is no remembered thing: the robot itself, its parts, and what other tools are told.
NO_THING = re.compile(
    r'\b(?:you|i|we|it|he|rover|robot|mast|battery|camera|position|bright\w*|light|dark|good'
    r'|place|spot|location|left|right|forwards?|ahead|straight|back|backwards?|north|south|east'
    r'|west|picture|photo|image|x|y)\b|ローバー|ロボット|マスト|今|あなた|明る|場所|座標|前|左|右|后'
    r'|バッテリー|電池|状態|你|漫游车|火星车|桅杆|明亮|现在|位置|状态|电量|电池',
    re.IGNORECASE,
)
# Words that say how, how often, whether or which of several: they are no part of a name, and no
# tool of remembered places can be told them. Nor is a mark other than a quote or a hyphen.
NO_NAME = re.compile(
    r'\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|thrice|times?'
    r'|all|every\w*|each|both|several|many|some|next|other'
    r'|or|nor|not|no|none|never|nothing|anything|something|anywhere|except|but|instead|than'
    r'|unless|until|if|when|while|before|after|again|with|without|within|near\w*|from|plus'
    r"|me|sleep|mode|full|speed|slowly|fast|quickly|carefully|metres?|meters?|\w+n't)\b"
    r'|ない|なく|ずに|以外|または|もしくは|全部|すべて|全て'
    r'|[一二三四五六七八九十両两几何]\s*[回度次个個つ秒分米]|不|别|勿|没|除了|或|所有|每'
    r"""|[^\w\s'’・「」『』"“”-]|(?<!\w)-|-(?!\w)""",
    re.IGNORECASE,
)
# What ends the name of a place to go to, and begins to say how or when: adverbs, participles,
# times, every preposition but "of", conjunctions, and so a second article.
NO_DESTINATION = re.compile(
    r'\b\w+ly\b| \w+ing\b|\bhalf\w*|(?<!\bof) (?:the|an?)\b'
    r'|\b(?:in|on|at|to|for|by|via|off|up|down|out|over|under|behind|beside|between|across'
    r'|through|along|past|towards?|into|onto|against|about|around|above|below|beyond|during'
    r'|since|as|like|so|yet|because|though|although|whether|and|that|which|where'
    r'|today|tonight|tomorrow|now|later|soon|day\w*|night\w*|noon|\w*hours?|minutes?|seconds?'
    r'|weeks?|months?|years?)\b',
    re.IGNORECASE,
)


def _read(table: str) -> dict[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = {}
    for line in table.strip().splitlines():
        meaning, _, listed = line.partition(': ')
        meant = tuple(meaning.split())
        said = (
            listed.split() if meaning in JOINING or len(meant) > 1 else [meaning, *listed.split()]
        )
        words |= {word.replace('_', ' '): meant for word in said if word not in words}
    return words


_WORDS = _read(_TABLE)
# Words without blanks between them, the longest first, so that 前進 is not read as 前.
UNSPACED = '|'.join(
    re.escape(word) for word in sorted(_WORDS, key=len, reverse=True) if not word.isascii()
)
_EACH = re.compile(rf"{UNSPACED}|[a-z0-9_']+")
# Words that mean something together.
PHRASES = '|'.join(
    re.escape(word).replace(r'\ ', r'\s+')
    for word in sorted(_WORDS, key=len, reverse=True)
    if ' ' in word
)


def meanings(word: str) -> tuple[str, ...]:
    """What a word in lower case means; a word without blanks can mean two things."""
    return _WORDS.get(' '.join(word.split())) or (_singular(word),)


def has_clause(text: str) -> bool:
    """Whether a word of a text is a wish, or joins wishes."""
    return any(CLAUSES & {*meanings(word)} for word in _EACH.findall(text.lower()))


def named_by(words: str) -> tuple[str, ...]:
    """The meanings in a name or phrase, without those that only join or fill."""
    found = (each for word in re.findall('[a-z0-9]+', words.lower()) for each in meanings(word))
    return tuple(each for each in found if each not in JOINING)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith('s') and not word.endswith('ss') else word
