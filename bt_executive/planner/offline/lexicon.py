"""The words of commands in English, Japanese and Chinese, each with its meaning.

A meaning is the word that names of tools use. Words that stand in no line mean themselves.
"""

from __future__ import annotations

import re

ASKS, TELLS, REQUESTS, BREAKS, FILLS = '?', '>', '!', ';', '-'  # meanings that no tool's name has
JOINING = {ASKS, TELLS, REQUESTS, BREAKS, FILLS}

# meaning: the words for it. What begins a line twice is one meaning in two lines.
_TABLE = """
move: drive go roll advance navigate travel head driving moving 進 行 移動 向か 走 前往 去 到 开到
forward: forwards ahead straight 前に 前へ 前方 まっすぐ 向前 往前
move forward: 前進 前进
nudge: slightly bit little 少し ちょっと 一点 一点点
turn: rotate sweep pan swing 回 回転 旋回 曲 向 旋转 转动 转 轉
left: 左
right: 右
open: raise unfold deploy extend opened 開 展開 开 打开 展开 升起
close: stow fold retract shut closed 閉 収納 畳 关闭 收起 收回
mast: マスト 桅杆
take: capture shoot 撮 拍
picture: photo image photograph snapshot 写真 画像 照片 图像 圖像
take picture: 撮影 拍照
stop: halt freeze brake 止 止ま 止め 停止 停下 ストップ
wait: sleep 待 等待 等
speak: say
status: state 状態 ステータス 状态 狀態
battery: charge バッテリー 電池 充電 电池 电量
position: pose 位置
bright: brighter light good 明る 明るい 明亮 亮
place: spot location 場所 地方
ground: soil surface terrain 地面 地表
texture: テクスチャ 纹理 紋理
analyze: analyse examine inspect investigate study survey 調査 調べ 分析 解析 调查 調查
find: seek search look 探 寻找 找
see: seen visible describe view 見え 見 看
front: 前 正面 前面 面前
rock: stone boulder 岩 石 石头
around: surroundings まわり 周り 周囲 周围
screen: desktop monitor display 画面 デスクトップ 屏幕 桌面
watch: watching 監視 监视
every: ごと おき 每隔
dark: darker 暗くな 变暗
something: anything 何か
when: once if たら
on: オン つけ 点け
off: オフ 消
? position: where どこ 在哪里 在哪 哪里
?: is are was were what which why how who has did does
?: 何 いくら どのくらい どれくらい ですか ますか いますか ましたか たか 吗 了吗 什么 多少
>: tell report show 教え 見せ 報告 告诉 报告
!: can could would will 能 可以 もらえますか もらえませんか くださいますか くれますか くれませんか
!: いただけますか もらっていいですか もらってもいいですか
;: and then next afterwards finally て んで そして その後 それから 次に 然后 然後 再 并 接着
-: a an the you your rover robot i me my us it's want to now just for of in at with by let
-: still again
-: please much many there remaining ください 下さい お願いします 请 帮 麻烦
-: ローバー ロボット 現在 今 残量 残り 私 を に へ で は が の も と い く き け り る れ ろ し
-: す せ じ め み っ ん する いる させ よ ね え 間 座標
-: 把 来 一下 一张 张 我 你 的 在 给 还剩 剩 下 有 还 现在 火星车 漫游车 机器人
"""

# Words of what is no remembered thing: the robot itself, its parts, and what other tools are told.
NO_THING = re.compile(
    r'\b(?:you|i|we|it|he|rover|robot|mast|battery|camera|position|bright\w*|light|dark|good'
    r'|place|spot|location|left|right|forwards?|ahead|straight|back|backwards?|north|south|east'
    r'|west|picture|photo|image|x|y)\b|ローバー|ロボット|マスト|今|あなた|明る|場所|座標|前|左|右|后'
    r'|你|漫游车|火星车|桅杆|明亮|现在',
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
        words |= {word: meant for word in said if word not in words}
    return words


_WORDS = _read(_TABLE)
# Words without blanks between them, the longest first, so that 前進 is not read as 前.
UNSPACED = '|'.join(
    re.escape(word) for word in sorted(_WORDS, key=len, reverse=True) if not word.isascii()
)


def meanings(word: str) -> tuple[str, ...]:
    """What a word in lower case means; a word without blanks can mean two things."""
    return _WORDS.get(word) or (_singular(word),)


def named_by(words: str) -> tuple[str, ...]:
    """The meanings in a name or phrase, without those that only join or fill."""
    found = (each for word in re.findall('[a-z0-9]+', words.lower()) for each in meanings(word))
    return tuple(each for each in found if each not in JOINING)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith('s') and not word.endswith('ss') else word
