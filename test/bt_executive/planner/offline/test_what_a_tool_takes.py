"""A condition, a rating or an arrival that belongs to a wish is no second one."""

from __future__ import annotations

from typing import Any

from offline_tools import plan
import pytest

from bt_executive.planner.offline.connectives_lists_and_quotations import (
    behind_arrival,
    is_cut_off,
    lacks_a_verb,
)
from bt_executive.planner.offline.planned_tasks import PlannedCommand, rates

long = pytest.mark.long  # the sentence encoder
Call = tuple[str, dict[str, Any]]
DARK = [('watch', {'on': True, 'tell_when': 'dark'})]
MOTION = [('watch', {'on': True, 'tell_when': 'motion'})]
OFF = [('watch', {'on': False})]
EVERY_5 = [('watch', {'every_s': 5})]
PHOTO: list[Call] = [('capture_and_score', {})]


def calls(goal: str) -> list[Call]:
    tasks = plan(goal)
    assert isinstance(tasks, list), tasks
    assert all(isinstance(each, PlannedCommand) for each in tasks), tasks
    return [(each.tool, each.arguments) for each in tasks if isinstance(each, PlannedCommand)]


@long
@pytest.mark.parametrize(
    ('goal', 'wanted'),
    [
        ('keep an eye on the greenhouse and let me know as soon as it gets dark', DARK),
        ('watch the courtyard and tell me when something moves', MOTION),
        ('門を見張って、何か動いたら知らせて', MOTION),
        ('庭を見ていて、暗くなったら教えて', DARK),
        ('盯着大门，有东西动就告诉我', MOTION),
        ('看着院子，天黑了告诉我', DARK),
        ("tieni d'occhio il cortile e avvisami se si muove qualcosa", MOTION),
        ('vigila la puerta y avísame si algo se mueve', MOTION),
        ('surveille la porte et préviens-moi si quelque chose bouge', MOTION),
        ('behalte das Tor im Auge und sag mir, wenn es dunkel wird', DARK),
        ('不用再看守了，谢谢', OFF),
        ('you can stop keeping an eye on the gate', OFF),
        (
            'keep the camera on the gate and tell me what you see every 5 seconds',
            [('watch', {'on': True, 'every_s': 5})],
        ),
        ('門を見張って、5秒ごとに何が見えるか報告して', EVERY_5),
        ('看着大门，每隔5秒说一下看到了什么', EVERY_5),
        ('watch the gate and report every 5 seconds', EVERY_5),
        ('keep an eye out and tell me when anything moves', MOTION),
        ('カメラの監視を続けて、暗くなったら教えて', DARK),
        ('take a photo and rate it', PHOTO),
        ('take a picture and tell me how rough it is', PHOTO),
        ('写真を撮って、明るさを評価して', PHOTO),
        ('拍张照，给亮度打个分', PHOTO),
        ('fai una foto e valuta la luminosità', PHOTO),
        ('haz una foto y evalúa el brillo', PHOTO),
        ('mach ein Foto und bewerte die Helligkeit', PHOTO),
    ],
)
def test_what_a_tool_takes_as_an_argument_or_does_anyway_is_one_call(
    goal: str, wanted: list[Call]
) -> None:
    assert calls(goal) == wanted


@long
@pytest.mark.parametrize(
    ('goal', 'place'),
    [
        ('go to the tool shed, and when you get there, take a photo', 'tool shed'),
        ('go to the tool shed, once there take a photo', 'tool shed'),
        ('vai al capanno e, una volta lì, fai una foto', 'capanno'),
        ('ve al cobertizo y, una vez allí, haz una foto', 'cobertizo'),
        ('va à la serre et, une fois là-bas, prends une photo', 'serre'),
        ('fahr zum Schuppen und, dort angekommen, mach ein Foto', 'schuppen'),
        ('小屋に行って、着いたら写真を撮って', '小屋'),
        ('去小屋，到了之后拍张照', '小屋'),
    ],
)
def test_when_you_are_there_is_a_sequence(goal: str, place: str) -> None:
    (go, look) = calls(goal)
    assert (go[0], look) == ('go_to_remembered', ('capture_and_score', {}))
    assert place in go[1]['text'].lower()


@long
@pytest.mark.parametrize(
    'goal',
    [
        'if it gets dark, come back to the base',
        '暗くなったら、小屋に戻って',
        '天黑了就回小屋去',
        'se si fa buio, torna alla base',
        'tell me when it gets dark and then turn left',
        'watch the gate, and if something moves, drive forward',
        'take a picture of the and then turn left for about',
        'drive forward for 3 s and then turn towards the',
        'raise the mast and take a photo of',
        'alza l’albero e fai una foto della',
        'mach ein Foto und fahr zum',
        'haz una foto y gira hacia',
        'lève le mât et prends une photo du côté des arbres vers',
        '升起桅杆，然后把',
    ],
)
def test_real_conditions_and_goals_that_are_cut_off_stay_declined(goal: str) -> None:
    assert isinstance(plan(goal), str)


@long
@pytest.mark.parametrize(
    ('goal', 'thing'),
    [
        ('where did you see the ladder? then trundle over to it', 'ladder'),
        ('where did you see the ladder? drive there', 'ladder'),
        ('梯子在哪里见过？去那里', '梯子'),
    ],
)
def test_what_is_named_first_is_meant_by_it(goal: str, thing: str) -> None:
    first, then = calls(goal)
    assert (first[0], then[0]) == ('recall', 'go_to_remembered')
    assert all(thing in each[1]['text'] for each in (first, then))


@long
def test_what_is_only_looked_at_first_is_a_wish_of_its_own_with_then() -> None:
    assert len(calls('look at the door, then tell me when it gets dark')) == 2


@pytest.mark.parametrize(
    ('text', 'rest'),
    [
        ('when you get there, take a photo', 'take a photo'),
        ('una volta lì', ''),
        ('着いたら写真を撮って', '写真を撮って'),
        ('到了之后拍照', '拍照'),
        ('船が着いたら', '船が着いたら'),  # not the robot
        ('看到了什么', '看到了什么'),
    ],
)
def test_an_arrival_is_only_what_begins_a_part(text: str, rest: str) -> None:
    assert behind_arrival(text) == rest


@pytest.mark.parametrize(
    ('text', 'cut'),
    [
        ('take a picture of the', True),
        ('turn left for about', True),
        ('fahr zum', True),
        ('vai verso', True),
        ('mach die kamera an', False),
        ('come in', False),
        ('look about', False),
        ('drive to point a', False),
        ('¡para!', False),
    ],
)
def test_where_a_goal_is_cut_off(text: str, cut: bool) -> None:
    assert is_cut_off(text) is cut


@pytest.mark.parametrize(
    ('text', 'lacks'), [('he', True), ('who?', True), ('you', False), ('anybody', False)]
)
def test_who_does_something_is_no_wish_without_what(text: str, lacks: bool) -> None:
    assert lacks_a_verb(text) is lacks


@pytest.mark.parametrize(
    ('text', 'only'),
    [('rate the ground', True), ('评个分', True), ('analyze the ground texture', False)],
)
def test_to_rate_is_not_to_look_for_a_better_one(text: str, only: bool) -> None:
    assert rates(text) is only
