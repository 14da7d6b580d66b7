"""The sentences of the offline model, in the languages of the goal; reasons are in English."""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.goal import LONGEST_GOAL, language_of

_ENGLISH = re.compile(r'[A-Za-z]{2,40} {1,4}[A-Za-z]{2}')
_TEXTS = {
    'en': {
        'declined': 'This is the small offline model, and {reason}, so nothing was done. To be '
        'understood in free words, set planner.provider in config/executive.yaml to a real model '
        '(docs/models.md).',
        'gave up': 'I did not reach the goal: {reason}.',
        'good': 'The picture is good: score {score:.2f}, picture {count} of this goal. ',
        'done': 'Done: {done}.',
        'measured': 'Measured: {done}.',
    },
    'ja': {
        'declined': 'これは小さなオフラインモデルなので、何もしていません ({reason})。自由な言葉で'
        '指示するには、config/executive.yaml の planner.provider に本物のモデルを設定してください '
        '(docs/models.md)。',
        'gave up': '目標を達成できませんでした ({reason})。',
        'good': '良い画像が得られました: スコア {score:.2f}、{count} 枚目。',
        'done': '完了: {done}。',
        'measured': '測定値: {done}。',
    },
    'zh': {
        'declined': '这是小型离线模型，没有执行任何操作（{reason}）。要用自由的语言下达指令，请将 '
        'config/executive.yaml 中的 planner.provider 设为真正的模型（docs/models.md）。',
        'gave up': '未能达成目标（{reason}）。',
        'good': '获得了良好的图像：得分 {score:.2f}，第 {count} 张。',
        'done': '已完成：{done}。',
        'measured': '测量值：{done}。',
    },
}


def declined(goal: str, reason: str) -> str:
    """The goal is beyond this model: two sentences."""
    return _say(goal, 'declined', reason=reason)


def gave_up(goal: str, reason: str, done: Sequence[str]) -> str:
    """The goal was tried; `done` is what was done of it, in words."""
    before = f'; done before that: {", ".join(done)}' if done else ''
    return _say(goal, 'gave up', reason=reason + before)


def answer(goal: str, done: Sequence[str], good: tuple[float, int] | None) -> str:
    """All was done; `good`: score and number of the picture, if a good one was sought."""
    if good is None:
        return _say(goal, 'done', done=', '.join(done))
    keys = ('good', 'measured') if len(done) == 1 else ('good', 'done')
    return _say(goal, *keys, done=', '.join(done), score=good[0], count=good[1])


def _say(goal: str, *keys: str, **values: object) -> str:
    """The sentences in the language of the goal; and in English, if it has English words, too."""
    language = language_of(goal)
    english = language != 'en' and _ENGLISH.search(goal[:LONGEST_GOAL])
    return '\n'.join(
        ''.join(_TEXTS[each][key] for key in keys).format(**values).strip()
        for each in ([language, 'en'] if english else [language])
    )
