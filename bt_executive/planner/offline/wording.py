"""Final answers in the language of the goal, made of measured values only.

A Japanese or Chinese answer is followed by the English one: operators of one rover need not share
a language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_executive.planner.offline.beliefs import Beliefs, Capture, number
from bt_executive.planner.offline.intent import Language

_TEXTURES: Mapping[str, Mapping[Language, str]] = {
    'fine': {'en': 'fine', 'ja': '細かい', 'zh': '细腻'},
    'medium': {'en': 'medium', 'ja': '中程度', 'zh': '中等'},
    'coarse': {'en': 'coarse', 'ja': '粗い', 'zh': '粗糙'},
}
# Numbers of a picture that an answer names, under the keys of its `stats` or of their part
# `ground`, in this order.
_STATS: Mapping[str, Mapping[Language, str]] = {
    'local_roughness': {'en': 'local roughness', 'ja': '局所的な粗さ', 'zh': '局部粗糙度'},
    'contrast': {'en': 'contrast', 'ja': 'コントラスト', 'zh': '对比度'},
    'edge_density': {'en': 'edge density', 'ja': 'エッジ密度', 'zh': '边缘密度'},
    'mean_luminance': {'en': 'mean luminance', 'ja': '平均輝度', 'zh': '平均亮度'},
}


def good_picture(language: Language, beliefs: Beliefs) -> str:
    """What the good picture shows and how it was come by."""
    capture = beliefs.captures[-1]
    count, score = len(beliefs.captures), capture.score
    return _both(
        language,
        {
            'en': f'The picture is good: score {score:.2f}, picture {count} of this goal.',
            'ja': f'良い画像が得られました。スコア {score:.2f}、{count} 枚目の撮影です。',
            'zh': f'已获得良好图像：得分 {score:.2f}，第 {count} 张。',
        },
        {each: _stats(each, capture) + _place(each, capture) for each in _LANGUAGES},
    )


def picture(language: Language, capture: Capture) -> str:
    """What one picture shows, good or not."""
    verdict, score = _VERDICT[capture.is_good], f'{capture.score:.2f}'
    return _both(
        language,
        {
            'en': f'I took a picture: score {score}, {verdict["en"]}.',
            'ja': f'撮影しました。スコア {score}、{verdict["ja"]}。',
            'zh': f'已拍照：得分 {score}，{verdict["zh"]}。',
        },
        {each: _stats(each, capture) for each in _LANGUAGES},
    )


def status(language: Language, values: Mapping[str, Any]) -> str:
    """The rover's status in words."""
    return _both(
        language,
        {
            'en': f'Rover status: {_status_words(values, "en")}.',
            'ja': f'ローバーの状態: {_status_words(values, "ja")}。',
            'zh': f'火星车状态：{_status_words(values, "zh")}。',
        },
    )


def done(language: Language, tools: Sequence[str], seen: Capture | None) -> str:
    """Commands were carried out, in this order; `seen`: the picture among them."""
    names = ', '.join(tools)
    carried = _both(
        language,
        {
            'en': f'Done: {names}.',
            'ja': f'完了: {names} を実行しました。',
            'zh': f'完成：已执行 {names}。',
        },
    )
    return carried if seen is None else f'{carried}\n{picture(language, seen)}'


def arrived(language: Language, distance: float | None) -> str:
    """The rover is where it was sent to; `distance` from there in m, if measured."""
    off = '' if distance is None else f'{distance:.2f} m'
    return _both(
        language,
        {
            'en': 'I have arrived' + (f', {off} from the place asked for.' if off else '.'),
            'ja': '到着しました' + (f'。目標地点から {off} です。' if off else '。'),
            'zh': '已到达' + (f'，距目标点 {off}。' if off else '。'),
        },
    )


def gave_up(language: Language, reason: str) -> str:
    """The goal was not reached."""
    return _both(
        language,
        {
            'en': f'I did not reach the goal. {reason}',
            'ja': '目標を達成できませんでした。理由は英語の報告のとおりです。',
            'zh': '未能达成目标，原因见英文报告。',
        },
    )


def cannot(language: Language, tools: Sequence[str]) -> str:
    """The goal is beyond what is understood or offered."""
    names = ', '.join(tools) or '-'
    return _both(
        language,
        {
            'en': 'I did not understand that as something I can do, so I did nothing. I can seek '
            f'a bright picture, describe the ground, report the status, or use: {names}.',
            'ja': '実行できる指示として理解できなかったため、何もしていません。明るい画像の撮影、'
            f'地面の調査、状態の報告、または次のツールが使えます: {names}。',
            'zh': '我没有理解该指令，因此没有任何动作。'
            f'我可以寻找明亮的图像、分析地面、报告状态，或使用：{names}。',
        },
    )


_LANGUAGES: tuple[Language, ...] = ('en', 'ja', 'zh')


def _both(language: Language, *parts: Mapping[Language, str]) -> str:
    english = ' '.join(part['en'] for part in parts if part['en'])
    if language == 'en':
        return english
    return ''.join(part[language] for part in parts) + f'\n{english}'


def _stats(language: Language, capture: Capture) -> str:
    stats = capture.data.get('stats')
    if not isinstance(stats, Mapping):
        return ''
    ground = stats.get('ground')
    stats = {**ground, **stats} if isinstance(ground, Mapping) else stats
    return _ground(language, stats) + _measured(language, stats)


def _ground(language: Language, stats: Mapping[str, Any]) -> str:
    texture, colour = stats.get('texture'), stats.get('dominant_colour')
    if texture is None:
        return ''
    texture = _TEXTURES.get(str(texture), {}).get(language, str(texture))
    return {
        'en': f'The ground has a {texture} texture' + (f', mostly {colour}. ' if colour else '. '),
        'ja': f'地面のテクスチャは{texture}' + (f'、主な色は {colour}。' if colour else '。'),
        'zh': f'地面纹理{texture}' + (f'，主色为 {colour}。' if colour else '。'),
    }[language]


def _measured(language: Language, stats: Mapping[str, Any]) -> str:
    named = [
        f'{names[language]} {value:.3g}'
        for key, names in _STATS.items()
        if (value := number(stats.get(key))) is not None
    ]
    if not named:
        return ''
    return {
        'en': f'Measured: {", ".join(named)}.',
        'ja': f'測定値は{"、".join(named)}。',
        'zh': f'测量值：{"，".join(named)}。',
    }[language]


def _place(language: Language, capture: Capture) -> str:
    if capture.pose is None:
        return ''
    x, y = capture.pose.x, capture.pose.y
    return {
        'en': f' It was taken at x {x:.1f} m, y {y:.1f} m.',
        'ja': f'撮影位置は x {x:.1f} m、y {y:.1f} m。',
        'zh': f'拍摄位置 x {x:.1f} m，y {y:.1f} m。',
    }[language]


def _status_words(values: Mapping[str, Any], language: Language) -> str:
    mast_open, moving = values.get('mast_is_open'), values.get('moving')
    x, y, yaw = (number(values.get(f'rover_{axis}')) for axis in ('x', 'y', 'yaw'))
    words: list[Mapping[Language, str]] = []
    if x is not None:
        place = f'x {x:.2f} m' + (f', y {y:.2f} m' if y is not None else '')
        place += f', yaw {yaw:.2f} rad' if yaw is not None else ''
        words.append({'en': f'at {place}', 'ja': f'位置 {place}', 'zh': f'位置 {place}'})
    if isinstance(mast_open, bool):
        words.append(_MAST[mast_open])
    if isinstance(moving, bool):
        words.append(_MOVING[moving])
    if reason := values.get('last_error_reason'):
        words.append(
            {
                'en': f'last error "{reason}"',
                'ja': f'直近のエラー「{reason}」',
                'zh': f'最近错误“{reason}”',
            }
        )
    if not words:
        words.append(
            {'en': 'nothing is known yet', 'ja': 'まだ情報がありません', 'zh': '尚无信息'}
        )
    return {'en': ', ', 'ja': '、', 'zh': '，'}[language].join(each[language] for each in words)


_VERDICT: Mapping[bool, Mapping[Language, str]] = {
    True: {'en': 'good', 'ja': '良好', 'zh': '良好'},
    False: {'en': 'not good yet', 'ja': 'まだ不十分', 'zh': '尚不理想'},
}
_MAST: Mapping[bool, Mapping[Language, str]] = {
    True: {'en': 'mast open', 'ja': 'マストは展開中', 'zh': '桅杆已展开'},
    False: {'en': 'mast closed', 'ja': 'マストは収納済み', 'zh': '桅杆已收起'},
}
_MOVING: Mapping[bool, Mapping[Language, str]] = {
    True: {'en': 'moving', 'ja': '走行中', 'zh': '行驶中'},
    False: {'en': 'standing still', 'ja': '停止中', 'zh': '静止'},
}
