"""A tool is never taken for its opposite, in any language of the encoder, known by one example."""

from __future__ import annotations

from offline_tools import tools_of
import pytest

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.offline.antonyms import (
    _PAIRS,
    _written,
    opposes,
    reverse,
    sides,
)
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.planned_tasks import PlannedCommand
from rover_common.config.settings.skills import SkillExample

NOTHING = {'type': 'object', 'properties': {}}
OTHERS = ('take a photo', 'how much battery is left?', 'go to the charging dock')
# Two tools by their only examples, and wordings of the first and of the second.
PAIRS: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = [
    (
        'open the door',
        'close the door',
        (
            'please open the door',
            'ドアを開けて',
            '把门打开',
            'mach die Tür auf',
            'abre la puerta',
            'открой дверь',
        ),
        (
            'shut the door',
            'ドアを閉めて',
            '关门',
            'schließ die Tür',
            'cierra la puerta',
            '문을 닫아',
            'ferme la porte',
            'закрой дверь',
        ),
    ),
    (
        'raise the arm',
        'lower the arm',
        (
            'lift the arm up',
            'アームを上げて',
            '把机械臂抬起来',
            'hebe den Arm',
            'sube el brazo',
            'lève le bras',
        ),
        (
            'put the arm down',
            'アームを下げて',
            '放下机械臂',
            'senke den Arm',
            'baja el brazo',
            'baisse le bras',
        ),
    ),
    (
        'start the pump',
        'stop the pump',
        (
            'turn the pump on',
            'ポンプを動かして',
            '启动水泵',
            'starte die Pumpe',
            'arranca la bomba',
        ),
        (
            'switch the pump off',
            'ポンプを止めて',
            '关掉水泵',
            '停止水泵',
            'stopp die Pumpe',
            'para la bomba',
            'arrête la pompe',
            '펌프를 멈춰',
        ),
    ),
    (
        'move to the left',
        'move to the right',
        ('slide left', '左に動いて', '往左移动', 'nach links', 'a la izquierda'),
        (
            'go right',
            '右へ移動',
            '向右移动',
            'nach rechts bewegen',
            'a la derecha',
            '오른쪽으로 이동',
            'à droite',
        ),
    ),
    (
        'move forward',
        'move backward',
        ('go ahead a bit', '前に進んで', '前进', 'fahr vorwärts', 'adelante'),
        (
            'back up',
            '後ろに下がって',
            '后退',
            'fahr rückwärts',
            'hacia atrás',
            'recule',
            '뒤로 가',
        ),
    ),
    (
        'grasp the object',
        'release the object',
        ('grab the object', '物をつかんで', '抓住物体', 'greif das Objekt', 'agarra el objeto'),
        (
            'let go of the object',
            '物を離して',
            '放开物体',
            'lass das Objekt los',
            'suelta el objeto',
        ),
    ),
    (
        'increase the volume',
        'decrease the volume',
        ('louder please', '音量を上げて', '调大音量', 'mach lauter', 'sube el volumen'),
        ('turn the volume down', '音量を下げて', '把音量调低', 'leiser', 'baja el volumen'),
    ),
    (
        'lock the wheels',
        'unlock the wheels',
        (
            'lock all the wheels',
            '車輪をロックして',
            '锁住车轮',
            'verriegle die Räder',
            'bloquea las ruedas',
        ),
        (
            'release the wheel lock',
            '車輪のロックを解除して',
            '解锁车轮',
            'entriegle die Räder',
            'desbloquea las ruedas',
        ),
    ),
]
CASES = [
    (goal, wanted, other)
    for first, second, ones, twos in PAIRS
    for goals, wanted, other in ((ones, first, second), (twos, second, first))
    for goal in goals
]


def proposed(goal: str, *examples: str) -> list[str] | None:
    """The tools that a goal is a plan of, among tools of one example each; None: declined."""
    told = {each.replace(' ', '_').strip('?'): each for each in (*examples, *OTHERS)}
    tools = tools_of(
        (ToolOffer(name, '', NOTHING, 1.0) for name in told),
        {name: (SkillExample(say=say),) for name, say in told.items()},
    )
    tasks = make_plan(goal, tools)
    return None if isinstance(tasks, str) else [told[getattr(each, 'tool', '')] for each in tasks]


@pytest.mark.long  # the sentence encoder
def test_opposites_are_never_exchanged() -> None:
    both = {goal: proposed(goal, wanted, other) for goal, wanted, other in CASES}
    assert {goal for goal, wanted, _ in CASES if both[goal] not in (None, [wanted])} == set()
    right = sum(both[goal] == [wanted] for goal, wanted, _ in CASES)
    assert right >= 0.6 * len(CASES)


@pytest.mark.long
def test_the_opposite_alone_is_not_what_was_wanted() -> None:
    assert {goal for goal, _, other in CASES if proposed(goal, other) is not None} == set()


def test_a_text_of_both_sides_opposes_neither() -> None:
    both = sides('open and close the door')
    assert not opposes(both, sides('open the door'))
    assert not opposes(both, sides('close the door'))
    assert opposes(sides('shut the door'), sides('ドアを開けて'))
    assert not opposes(sides('turn left'), sides('open the door'))


def test_a_sentence_is_turned_round_word_by_word() -> None:
    assert reverse('open the left door') == [
        ('close the left door', ('open', True)),
        ('open the right door', ('left', True)),
    ]
    assert [each for each, _ in reverse('switch the lamp on')] == ['switch the lamp off']
    assert reverse('sing a song') == []


def test_a_thing_is_not_turned_round() -> None:
    assert reverse('weigh the load') == []
    assert [each for each, _ in reverse('load the box')] == ['leave the box']


@pytest.mark.slow
def test_whatever_word_of_a_pair_is_said_something_stands_in_its_place() -> None:
    """With nothing in its place each goal of a robot with a tool `drop` failed."""
    words = {
        each for rows in _PAIRS.values() for row in rows for half in row for each in half.split()
    }
    said = {_written(each) for each in words}
    assert all(each.strip() for each in said)
    turns = {f'{each} 7': reverse(f'{each} 7') for each in said}
    assert {
        (text, other)
        for text, found in turns.items()
        for other, _ in found
        if not other.removesuffix('7').strip()
    } == set()


@pytest.mark.parametrize('name', ['drop', 'lower', 'down', 'sink', 'sit_down'])
def test_a_tool_called_by_a_word_of_a_pair_is_asked_for(name: str) -> None:
    tools = tools_of(
        [ToolOffer(name, 'Put the fork down.', NOTHING, 1.0)],
        {name: (SkillExample(say='put the fork down'),)},
    )
    assert make_plan('put the fork down', tools) == [PlannedCommand(name, {})]
