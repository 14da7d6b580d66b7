"""The replies of the offline model, in the language of the goal; reasons are in English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import re

from bt_executive.planner.offline.clauses import LONGEST_GOAL

_ENGLISH = re.compile(r'[A-Za-z]{2,40} {1,4}[A-Za-z]{2}')
_TEXTS = {
    'en': {
        'declined': 'This is the small offline model, and {reason}, so nothing was done{near}. To '
        'be understood in free words, give its tools more examples in robot.yaml, or start with a '
        'real model: --set planner.provider=… (docs/models.md).',
        'near': ': the nearest that works is “{example}”',
        'can do': 'This is the small offline model. These goals work, for example: {examples}. '
        'Several may be joined by “and” or “then”; docs/offline_model.md lists more.',
        'gave up': 'I did not reach the goal: {reason}.',
        'good': 'The picture is good: score {score:.2f}, picture {count} of this goal. ',
        'done': 'Done: {done}.',
        'measured': 'Measured: {done}.',
    },
    'ja': {
        'near': '、一番近い使える例は「{example}」',
        'can do': 'これは小さなオフラインモデルです。たとえば次の目標が使えます: {examples}。'
        'つなげて言うこともできます (docs/offline_model.md)。',
        'declined': 'これは小さなオフラインモデルなので、何もしていません ({reason}{near})。'
        '自由な言葉で指示するには、robot.yaml のツールに例を足すか、本物のモデルで'
        '起動してください: --set planner.provider=… (docs/models.md)。',
        'gave up': '目標を達成できませんでした ({reason})。',
        'good': '良い画像が得られました: スコア {score:.2f}、{count} 枚目。',
        'done': '完了: {done}。',
        'measured': '測定値: {done}。',
    },
    'zh': {
        'near': '，最接近的可用说法是“{example}”',
        'can do': '这是小型离线模型。例如可以说：{examples}。也可以把几个连起来说 '
        '(docs/offline_model.md)。',
        'declined': '这是小型离线模型，没有执行任何操作（{reason}{near}）。'
        '要用自由的语言下达指令，请在 robot.yaml 中为工具补充例句，或用真正的模型启动：'
        '--set planner.provider=…（docs/models.md）。',
        'gave up': '未能达成目标（{reason}）。',
        'good': '获得了良好的图像：得分 {score:.2f}，第 {count} 张。',
        'done': '已完成：{done}。',
        'measured': '测量值：{done}。',
    },
}


def language_of(text: str) -> str:
    """Return the language of the reply: Japanese for kana, Chinese for Han alone, else English."""
    if re.search('[぀-ヿ]', text):
        return 'ja'
    return 'zh' if re.search('[一-鿿]', text) else 'en'


def declined(goal: str, reason: str, example: str = '') -> str:
    """Return the reply to a declined goal; `example`: the nearest goal that works."""
    language = language_of(goal)
    near = {each: _TEXTS[each]['near'].format(example=example) for each in {language, 'en'}}
    return _reply(goal, 'declined', reason=reason, near=near if example else '')


def can_do(goal: str, examples: Sequence[str]) -> str:
    """Return the reply to a request for help."""
    return _reply(goal, 'can do', examples=', '.join(f'“{each}”' for each in examples) or '–')


def gave_up(goal: str, reason: str, done: Sequence[str]) -> str:
    """Return the reply to a goal that was not reached; `done`: its completed tasks as text."""
    before = f'; done before that: {", ".join(done)}' if done else ''
    return _reply(goal, 'gave up', reason=reason + before)


def answer(goal: str, done: Sequence[str], good: tuple[float, int] | None) -> str:
    """Return the reply to a reached goal; `good`: score and number of the picture of a search."""
    if good is None:
        return _reply(goal, 'done', done=', '.join(done))
    keys = ('good', 'measured') if len(done) == 1 else ('good', 'done')
    return _reply(goal, *keys, done=', '.join(done), score=good[0], count=good[1])


def _reply(goal: str, *keys: str, **values: object) -> str:
    """Return the texts in the language of the goal, and in English if it has English words."""
    language = language_of(goal)
    english = language != 'en' and _ENGLISH.search(goal[:LONGEST_GOAL])
    return '\n'.join(
        ''.join(_TEXTS[each][key] for key in keys).format(**_of(each, values)).strip()
        for each in ([language, 'en'] if english else [language])
    )


def _of(language: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values for one language."""
    return {
        name: value[language] if isinstance(value, dict) else value
        for name, value in values.items()
    }
