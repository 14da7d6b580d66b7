"""What a wish says against the tool that it is near to, in six languages: then it is declined."""

from __future__ import annotations

from offline_tools import SHIPPED, calls, plan
import pytest

from bt_executive.planner.offline.offered_tools import does_more_than_answer
from bt_executive.planner.offline.planned_tasks import tool_name

pytestmark = pytest.mark.long  # the sentence encoder


def acts(goal: str) -> list[str]:
    """The tools of a goal's plan that do more than answer."""
    tasks = plan(goal)
    named = [] if isinstance(tasks, str) else list(map(tool_name, tasks))
    return [each for each in named if does_more_than_answer(SHIPPED[each])]


@pytest.mark.parametrize(
    'goal',
    [
        'forget the place we called dock',
        'delete the remembered place dock',
        'rename the gate to main entrance',
        'unlearn the spot named camp',
        'remove camp from your memory',
        'change the name of camp to base',
        '桟橋という登録名を削除して',
        '倉庫の場所を忘れて',
        '倉庫という名前を入口に変えて',
        '把旗杆那个地点改名叫仓库',
        '忘掉那个叫仓库的地方',
        '删除记住的地点仓库',
        '把仓库改名为车库',
        'olvida el lugar llamado almacén',
        'borra el nombre almacén',
        'cambia el nombre de almacén a garaje',
        'vergiss den Ort namens Lager',
        'lösche den Namen Lager',
        'benenne Lager in Garage um',
        "oublie l'endroit appelé entrepôt",
        'supprime le nom entrepôt',
        "renomme l'entrepôt en garage",
    ],
)
def test_a_name_is_neither_forgotten_nor_changed_by_remembering_it(goal: str) -> None:
    assert isinstance(plan(goal), str)


@pytest.mark.parametrize(
    ('goal', 'name'),
    [
        ('remember this place as camp', 'camp'),
        ('ここを桟橋として覚えて', '桟橋'),
        ('把这里记为旗杆', '旗杆'),
        ('merk dir diesen Ort als Lager', 'lager'),
    ],
)
def test_a_name_is_still_remembered(goal: str, name: str) -> None:
    assert calls(goal) == [('remember', {'name': name})]


@pytest.mark.parametrize(
    'goal',
    [
        'spin the mast round five times',
        'rotate the mast twice',
        'rotate the mast 3 full turns',
        'マストを五回まわして',
        'マストを三周まわして',
        '桅杆给我连转四圈',
        '让桅杆转三圈',
        '让桅杆转5圈',
        'gira el mástil cinco veces',
        'gira el mástil varias veces',
        'dreh den Mast fünfmal',
        'fais tourner le mât cinq fois',
        'fais tourner le mât plusieurs fois',
    ],
)
def test_several_turns_are_not_one(goal: str) -> None:
    assert isinstance(plan(goal), str)


@pytest.mark.parametrize(
    'goal',
    [
        'spin the mast once',
        'マストを一回まわして',
        '桅杆转一圈',
        'gira el mástil una vez',
        'dreh den Mast einmal',
        'fais tourner le mât une fois',
    ],
)
def test_one_turn_is_made(goal: str) -> None:
    assert calls(goal) == [('mast_rotate', {})]


@pytest.mark.parametrize(
    'goal',
    [
        'remember when we went to the dock',
        'remember when you raised the mast',
        'このまえ監視台まで行ったよね、楽しかったね',
        '昨日マストを上げたっけ',
        '倉庫まで行ったよね',
        '上次我们去了仓库，真开心',
        '还记得我们去仓库那次吗',
        '¿te acuerdas de cuando fuimos al almacén?',
        'weißt du noch, wie wir zum Lager gefahren sind',
        "tu te souviens quand on est allés à l'entrepôt",
    ],
)
def test_what_is_told_of_the_past_is_not_done_again(goal: str) -> None:
    assert acts(goal) == []


@pytest.mark.parametrize(
    'goal',
    [
        'have you taken a picture?',
        'もう写真を撮った？',
        '写真を撮りましたか',
        '写真は撮れた？',
        '何枚写真を撮った？',
        'マストを下げたの？',
        '拍照了没有',
        '拍了几张照片',
        'as-tu pris une photo ?',
        'hast du ein Foto gemacht?',
        '¿has sacado una foto?',
        'você tirou uma foto?',
        'heb je een foto gemaakt?',
    ],
)
def test_whether_something_was_done_is_no_wish_for_it(goal: str) -> None:
    assert acts(goal) == []


@pytest.mark.parametrize(
    ('goal', 'thing'),
    [
        ('have you seen a meteorite?', 'meteorite'),
        ('岩を見ましたか', '岩'),
        ('岩はどこにあったの', '岩'),
        ('as-tu vu un rocher ?', 'rocher'),
        ('hast du einen Felsen gesehen?', 'felsen'),
    ],
)
def test_whether_something_was_seen_is_answered(goal: str, thing: str) -> None:
    assert calls(goal) == [('recall', {'text': thing})]


@pytest.mark.parametrize(
    'goal',
    ['写真を撮るふりをして', '前進するふりをして', '左に曲がるふり', '假装拍照', '假装前进'],
)
def test_to_act_as_if_is_not_to_act(goal: str) -> None:
    assert acts(goal) == []


@pytest.mark.parametrize(
    ('goal', 'tool'),
    [
        ('疲れたね、マストを下ろして', 'mast_close'),
        ('よくできたね。左に曲がって', 'turn_left'),
        ('鍵を忘れたみたい。鍵はどこで見た?', 'recall'),
        ('我忘了。你在哪儿看到过钥匙?', 'recall'),
    ],
)
def test_what_is_only_told_beside_a_wish_does_not_forbid_it(goal: str, tool: str) -> None:
    assert [each for each, _ in calls(goal)] == [tool]


@pytest.mark.parametrize(
    ('goal', 'wanted'),
    [
        ('remember the corner where we stopped, named dock', 'dock'),
        ('今いる場所を桟橋という名前で覚えて', '桟橋'),
        ('记住你现在站的这个地方,就叫旗杆', '旗杆'),
        ('记住我们停的这个位置，叫做旗杆', '旗杆'),
        ('recuerda este sitio donde estás, llamado almacén', 'almacén'),
        ('merk dir den Ort, wo du stehst, genannt Lager', 'lager'),
        ("retiens l'endroit où tu es, appelé entrepôt", 'entrepôt'),
    ],
)
def test_what_is_said_to_be_the_name_is_it_or_none_is(goal: str, wanted: str) -> None:
    tasks = plan(goal)
    assert isinstance(tasks, str) or calls(goal) == [('remember', {'name': wanted})]


@pytest.mark.parametrize(
    'goal',
    [
        'two things: turn left and raise the mast',
        '2 things: turn left and raise the mast',
        '二つ:左に曲がって、マストを上げて',
        '两件事：左转，然后升起桅杆',
        'dos cosas: gira a la izquierda y sube el mástil',
        'zwei Dinge: dreh nach links und fahr den Mast hoch',
        'deux choses: tourne à gauche et lève le mât',
    ],
)
def test_how_many_wishes_follow_is_no_wish(goal: str) -> None:
    assert calls(goal) == [('turn_left', {}), ('mast_open', {})]


@pytest.mark.parametrize(
    'goal',
    [
        'quit watching',
        'the watch is over',
        '見張りを切り上げて',
        '監視を打ち切って',
        '見張りはおしまい',
        '放哨到此结束',
        '放哨到此结束，可以收工了',
        '监视结束',
        'termina la vigilancia',
        'beende die Wache',
        'arrête la surveillance',
    ],
)
def test_the_end_of_a_watch_never_begins_one(goal: str) -> None:
    tasks = plan(goal)
    assert isinstance(tasks, str) or calls(goal) == [('watch', {'on': False})]


@pytest.mark.parametrize(
    'goal',
    [
        'remember this as home, no, as base',
        'call this place home, I mean base',
        'go to the dock, no, the gate',
        'go to the dock, actually go to the gate',
        'ここを基地、いや、家として覚えて',
        '岩に行って、いや、木に行って',
        '去石头那里，不对，去树那里',
        'fahr zum Felsen, nein, zum Baum',
        "va à l'arbre, non, au rocher",
    ],
)
def test_a_name_that_was_corrected_is_not_taken(goal: str) -> None:
    assert 'it is not sure which name holds' in str(plan(goal))


@pytest.mark.parametrize(
    ('goal', 'thing'),
    [
        ('go to the rock. no, go to the tree', 'tree'),
        ('go to the big rock, sorry to bother you', 'big rock'),
    ],
)
def test_the_name_that_holds_is_taken(goal: str, thing: str) -> None:
    assert calls(goal) == [('go_to_remembered', {'text': thing})]


@pytest.mark.parametrize(
    'goal',
    [
        'look to the right',
        'turn left, then look to the right',
        'look left and take a picture',
        '左を見て',
        '向左看',
        '看左边',
    ],
)
def test_to_look_aside_is_not_to_drive_there(goal: str) -> None:
    assert acts(goal) == []


@pytest.mark.parametrize('goal', ['左を向いて', '往左拐', 'go left'])
def test_to_turn_aside_is_to_drive_there(goal: str) -> None:
    assert calls(goal) == [('turn_left', {})]
