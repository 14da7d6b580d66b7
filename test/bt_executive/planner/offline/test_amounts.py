"""Numbers with units, as people say them in several languages."""

from __future__ import annotations

import pytest

from bt_executive.planner.offline.amounts import extract_amounts
from bt_executive.planner.offline.text_normalization import normalize

KEYS = frozenset(('x', 'y', 'heading', 'duration_s'))
Said = tuple[float, str, str]  # value, unit, argument


def amounts(text: str) -> list[Said]:
    return [
        (each.value, each.unit, each.key) for each in extract_amounts(normalize(text), KEYS)[1]
    ]


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        # A place without its letters.
        ('drive to 3, 7.', [(3, 'm', 'x'), (7, 'm', 'y')]),
        ('at minus six comma nine', [(-6, 'm', 'x'), (9, 'm', 'y')]),
        ('get to 4 m, 1 m', [(4, 'm', 'x'), (1, 'm', 'y')]),
        ('rends-toi en 5, moins 1 et regarde', [(5, 'm', 'x'), (-1, 'm', 'y')]),
        ('zu den Koordinaten 10 Meter, 3,5 Meter', [(10, 'm', 'x'), (3.5, 'm', 'y')]),
        ('マイナス2、7に行って', [(-2, 'm', 'x'), (7, 'm', 'y')]),
        ('去坐标三，负五', [(3, 'm', 'x'), (-5, 'm', 'y')]),
        ('导航到 -3 米、6.2 米处', [(-3, 'm', 'x'), (6.2, 'm', 'y')]),
        # With them.
        ('x1.5 y-0.5', [(1.5, '', 'x'), (-0.5, '', 'y')]),
        ('x=2,5 y=3', [(2.5, '', 'x'), (3, '', 'y')]),
        ('x 等于 1 y 等于 1', [(1, '', 'x'), (1, '', 'y')]),
        ('heading zero', [(0, '', 'heading')]),
        ('1分30秒', [(60, 's', ''), (30, 's', '')]),
        ('一分十秒', [(60, 's', ''), (10, 's', '')]),
        ('三到五秒', [(3, '', ''), (5, 's', '')]),
        ('x三、y负二', [(3, '', 'x'), (-2, '', 'y')]),
        ('x二点五y负一', [(2.5, '', 'x'), (-1, '', 'y')]),
        ('kierunek 0,5 radiana', [(0.5, 'rad', '')]),
        ('x 等于 12、y 等于负 3', [(12, '', 'x'), (-3, '', 'y')]),
        ('エックス12、ワイ−3まで', [(12, '', 'x'), (-3, '', 'y')]),
        ('开到负四、九', [(-4, 'm', 'x'), (9, 'm', 'y')]),
        ('facing 1.57', [(1.57, '', 'heading')]),
        ('facing 90 degrees', [(90, 'deg', '')]),
        ('x 1 y 2 heading one point five', [(1, '', 'x'), (2, '', 'y'), (1.5, '', 'heading')]),
        ('朝向 1.57', [(1.57, '', 'heading')]),
        ('x is minus two, y is four', [(-2, '', 'x'), (4, '', 'y')]),
        ('横坐标三，纵坐标负五', [(3, '', 'x'), (-5, '', 'y')]),
        ('横坐标1.5、纵坐标2.5', [(1.5, '', 'x'), (2.5, '', 'y')]),
        ('X座標が2でY座標は-3', [(2, '', 'x'), (-3, '', 'y')]),
        ('エックスが3、ワイが4', [(3, '', 'x'), (4, '', 'y')]),
        ('x-coordinate 3, y-coordinate 4', [(3, '', 'x'), (4, '', 'y')]),
        ('икс три, игрек минус один', [(3, '', 'x'), (-1, '', 'y')]),
        ('coordinates 3 and -5', [(3, '', 'x'), (-5, '', 'y')]),
        ('zu den Koordinaten 3 und 4', [(3, '', 'x'), (4, '', 'y')]),
        ('坐标（三，四）', [(3, 'm', 'x'), (4, 'm', 'y')]),
        # A comma that is a point, and one that is none.
        ('Blickrichtung 1,2 Radiant', [(1.2, 'rad', '')]),
        ('(2,5) and then (3, 4)', [(2, 'm', 'x'), (5, 'm', 'y'), (3, 'm', 'x'), (4, 'm', 'y')]),
        ('左转三秒、右转两秒', [(3, 's', ''), (2, 's', '')]),
        ('move 2.5 m, then wait 3 s', [(2.5, 'm', ''), (3, 's', '')]),
        # Everyday words of one language that are numbers of another.
        ('sei so lieb und fahr 3 Sekunden vor', [(3, 's', '')]),
        ('Otto, warte acht Sekunden', [(8, 's', '')]),
        ('à droite deux secondes, non pardon', [(2, 's', '')]),
        ('ik sta achter de toonbank', []),
        ('aspetta sei secondi', [(6, 's', '')]),
        ('attends sept secondes', [(7, 's', '')]),
        # In words.
        ('wait there a minute', [(60, 's', '')]),
        ('朝向零点八弧度', [(0.8, 'rad', '')]),
        ('zwei komma fünf und minus eins', [(2.5, '', ''), (-1, '', '')]),
        ('dos coma cinco segundos', [(2.5, 's', '')]),
        ('przez pięć sekund', [(5, 's', '')]),
        ('czekaj dwadzieścia jeden sekund', [(21, 's', '')]),
        ('одну минуту', [(60, 's', '')]),
        ('подожди двадцать пять секунд', [(25, 's', '')]),
        ('on beş saniye bekle', [(15, 's', '')]),
        ('wait on minutes', []),  # ten, in Turkish only
        ('열두 초 기다려', [(12, 's', '')]),
        ('십 초 동안', [(10, 's', '')]),
        ('이십오 초', [(25, 's', '')]),
        ('half a minute', [(30, 's', '')]),
        ('a couple of seconds', [(2, 's', '')]),
        ('一秒半', [(1.5, 's', '')]),
        ('半分钟', [(30, 's', '')]),
        ('5秒間', [(5, 's', '')]),
    ],
)
def test_an_amount_is_read_as_it_is_meant(text: str, wanted: list[Said]) -> None:
    assert amounts(text) == wanted
