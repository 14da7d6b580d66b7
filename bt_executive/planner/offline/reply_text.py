"""What the offline model replies: results, why it declines, and goals that it can execute.

Replies are in the language of the goal, reasons in English. A goal that is suggested is an example
of an offered tool, and shown only if the plan for it is that tool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
import re
from typing import Any

from bt_executive.planner.offline.clause_parsing import LONGEST_GOAL
from bt_executive.planner.offline.conversation_steps import PastStep
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import (
    ENDINGS,
    OfflineTool,
    Tools,
    example_text,
    language_of,
)
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.tool_classifier import classifier_for
from rover_common.config.robot_examples import MOST_SHOWN, first_of_each_kind
from rover_common.json_values import finite_number

_ENGLISH = re.compile(r'[A-Za-z]{2,40} {1,4}[A-Za-z]{2}')
_TEXTS = {
    'en': {
        'declined': 'This is the small offline model, and nothing was done: {reason}{near} To be '
        'understood in free words, give its tools more examples in robot.yaml, or start with a '
        'real model: --set planner.provider=… (docs/models.md).',
        'near': '; the nearest that works is “{example}”.',
        'end': '.',
        'can do': 'This is the small offline model. These goals work, for example: {examples}. '
        'Several may be joined by “and” or “then”; docs/offline_model.md lists more.',
        'gave up': 'I did not reach the goal: {reason}.',
        'good': 'The picture is good: score {score:.2f}, picture {count} of this goal. ',
        'done': 'Done: {done}.',
        'measured': 'Measured: {done}.',
    },
    'ja': {
        'near': '、一番近い使える例は「{example}」',
        'end': '',
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
        'end': '',
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


def declined(goal: str, reason: str, example: str = '') -> str:
    """Return the reply to a declined goal; `example`: the nearest goal that works.

    A reason that is a question names the nearest ones itself.
    """
    key = 'near' if example else 'end'
    near = {each: texts[key].format(example=example) for each, texts in _TEXTS.items()}
    return _reply(goal, 'declined', reason=reason, near='' if reason.endswith('?') else near)


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


MOST_FIELDS = 12
MOST_OF_A_THING, MOST_LISTED = 150, 500  # characters of one entry of a list, and of all
_UNITS = {'pct': '%', 's': 's', 'm': 'm', 'rad': 'rad', 'deg': 'deg'}
_MACHINE_FIELDS = frozenset({'topic', 'stamp', 'life', 'rgb', 'on', 'legible'})


def describe_result(task: Task, step: PastStep, topics: Collection[str] = ()) -> str | None:
    """Return a completed task with its result; None: the result does not answer the question.

    `topics`: the fields of the result that examples ask for.
    """
    answer = step.data.get('answer')
    if isinstance(task, PlannedCommand) and isinstance(answer, str) and answer:
        return answer  # a tool that answers in free text
    fields = _fields(task, dict(_flat(step.data, nested=isinstance(task, Search))), topics)
    if fields is None:
        return None
    reason = step.data.get('reason')
    if not isinstance(task, Search) and isinstance(reason, str) and reason:
        return f'{task.tool}: {_value(reason).rstrip(".")}'  # a sentence
    text = ', '.join(_field(*each) for each in list(fields.items())[:MOST_FIELDS])
    if isinstance(task, Search):
        return text or 'nothing else'
    call = describe_call(task.tool, task.arguments)
    return f'{call}: {text}' if text else call


def describe_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as text, such as `move_forward (duration_s 8)`."""
    text = ', '.join(f'{name} {_value(each)}' for name, each in arguments.items())
    return f'{tool} ({text})' if text else tool


def _fields(task: Task, fields: dict[str, Any], topics: Collection[str]) -> dict[str, Any] | None:
    """Return the fields for the answer; None: the fields of the question are not among them."""
    if isinstance(task, Search):  # its score is reported separately
        return {key: each for key, each in fields.items() if key not in ('score', 'is_good')}
    if not isinstance(task, Question):
        return fields
    if not task.about:
        return {k: each for k, each in fields.items() if _is_state(k, each, topics)} or fields
    return {key: each for key, each in fields.items() if _is_about(key, task.about)} or None


def _is_state(key: str, value: Any, topics: Collection[str]) -> bool:
    """Return whether a field is about the robot's state: a topic, or a word for a part of it."""
    return _is_about(key, topics) or ('_' not in key and isinstance(value, str))


def _is_about(key: str, topics: Collection[str]) -> bool:
    """Return whether a field is one of these topics, or has one as a word of its name."""
    return not {key, *key.lower().split('_')}.isdisjoint(topics)


def _flat(data: Mapping[str, Any], nested: bool) -> Iterator[tuple[str, Any]]:
    for key, each in data.items():
        if isinstance(each, Mapping):
            yield from _flat(each, nested) if nested else ()
        elif each not in (None, '') and key.split('_')[-1] not in _MACHINE_FIELDS:
            yield key, each


def _field(key: str, value: Any) -> str:
    *words, last = key.split('_')
    if words and last in _UNITS and finite_number(value) is not None:
        return f'{" ".join(words)} {_value(value)} {_UNITS[last]}'
    return f'{" ".join([*words, last])} {_value(value)}'


def _listed(value: Any) -> str:
    return _value(value) if isinstance(value, Mapping) else f'{value!s:.60}'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    if isinstance(value, Mapping):
        return ' '.join(_field(*each) for each in _flat(value, nested=False))[:MOST_OF_A_THING]
    if isinstance(value, (list, tuple)):
        has_entries = any(isinstance(each, Mapping) for each in value)
        return ('; ' if has_entries else ' ').join(map(_listed, value))[:MOST_LISTED]
    as_number = finite_number(value)
    if as_number is None:
        return f'{value!s:.300}'
    return f'{as_number:.4g}' if abs(as_number) < 1000 else f'{round(as_number, 3):.12g}'


TRIED = 3  # nearest tools, and examples of each
NEAR = 0.25  # least score of a related tool
HELP = re.compile(
    r'(?:help|\?+|(?:what|which things) (?:can|could) (?:you do|i (?:say|ask))(?: for me)?'
    r'|(?:show me |give me )?(?:some )?examples|ヘルプ|何ができ\w*|使い方|帮助|你(?:能|会)做什么)',
    re.IGNORECASE,
)


def asks_for_help(goal: str) -> bool:
    """Return whether a goal asks for help."""
    text = ' '.join(goal[:LONGEST_GOAL].split()).strip(' !.？！。?')
    return HELP.fullmatch(text) is not None


def examples(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> list[str]:
    """Return at most six goals that work, each for another tool, in the language of the goal.

    Tools with different resources or arguments come first, as on the page.
    """
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    moving = {
        name: (each.resources, *each.properties)
        for name, each in offered.items()
        if each.resources
    }
    found: list[str] = []
    for name in dict.fromkeys((*first_of_each_kind(moving), *offered)):
        if len(found) < MOST_SHOWN:
            found += _working(offered[name], goal, tools, no_tool)
    return found


def nearest(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> str:
    """Return the working goal that is nearest to a declined one; empty: none is near."""
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return ''
    (match,) = classifier_for(offered, no_tool).match([goal[:LONGEST_GOAL].lower()])
    likely = (each for each in match.ranked if each.name in offered and each.score >= NEAR)
    names = [each.name for each in likely][:TRIED]
    working = (_working(offered[name], goal, tools, no_tool) for name in names)
    return next((goals[0] for goals in working if goals), '')


def _working(tool: OfflineTool, goal: str, tools: Tools, no_tool: tuple[str, ...]) -> list[str]:
    """Return at most one example of a tool for which the plan is that tool."""
    script = language_of(goal)
    texts = sorted(
        (example_text(each) for each in tool.examples),
        key=lambda each: language_of(each) != script,
    )
    for each in texts[:TRIED]:
        plan = make_plan(each, tools, no_tool)
        if isinstance(plan, list) and [_tool(task, tool.name) for task in plan] == [tool.name]:
            return [each]
    return []


def _tool(task: object, searching: str) -> str:
    if isinstance(task, Search):
        return searching
    return task.tool if isinstance(task, (PlannedCommand, Question)) else ''
