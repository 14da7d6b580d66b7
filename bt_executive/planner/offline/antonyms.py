"""Antonyms, which reverse a command, in the encoder's languages.

To a sentence encoder “open the door” and “close the door” are nearly the same. These are closed
classes of words; none of them is about a robot. Where no antonym distinguishes two tools, the
offline model asks back: see `ExampleVectors`.
"""

from __future__ import annotations

from functools import cache, lru_cache
import re
from typing import TypeAlias

Side: TypeAlias = tuple[str, bool]  # antonym pair, and whether the first of it

# By pair and language the words of both sides; a word that ends in - is a stem.
_PAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    'open': (
        (
            'open- unlatch- unseal- unfold- deploy-',
            'close- shut- latch- seal- fold- stow- retract-',
        ),
        (
            '開け 開い 開く 開放 オープン 展開 広げ',
            '閉 締め クローズ 畳 たたん 収納 格納 しまっ 引っ込め',
        ),
        (
            '打开 打開 开门 开窗 张开 展开 开启 開啟',
            '关 關 合上 闭 閉 收拢 折叠 收起 收回 收好 缩回',
        ),
        (
            'öffne- aufmach- aufklapp- ausklapp-',
            'schließ- schliess- zumach- zuklapp- einklapp-',
        ),
        ('ouvr- déplie-', 'ferme- fermer replie-'),
        ('abr- abierto despliega-', 'cierra- cerrar cierre- cerrado pliega-'),
        ('apri- aprire', 'chiud-'),
        ('열어 열기 열고 열려 펴 펼', '닫 접어 접고'),
        ('abre abrir abra', 'fecha- feche-'),
        ('открой- открыть откры-', 'закрой- закры-'),
        ('otwórz otworzyć otwierać', 'zamknij zamknąć'),
        ('aç açın açar', 'kapa- kapat-'),
        ('افتح فتح', 'أغلق اغلق إغلاق'),
        ('เปิด', 'ปิด'),
    ),
    'on': (
        (
            r'on(?!\s(?:the|an?|my|this|that|every|top|x)\b) start- begin- activate enable run',
            'off stop- end halt deactivate disable quit cease- pause',
        ),
        (
            'つけ 点け オン 始め 開始 起動 動かし 入れ 回し 有効',
            '消し 消す オフ 止め 停止 終了 終わ やめ 切っ 無効',
        ),
        ('打开 打開 启动 啟動 开始 開始 开启 运行 启用', '关 關 停 结束 結束 终止 禁用'),
        (
            'start- einschalt- anschalt- beginn- aktivier-',
            'stopp- ausschalt- abschalt- beend- deaktivier- anhalt-',
        ),
        (
            'allum- démarr- commenc- lance- active',
            'éteins éteindre arrêt- stopp- coupe- désactive-',
        ),
        (
            'enciend- arranca- empieza inicia- activa conecta',
            'apaga- parar detén detener termina- desactiva-',
        ),
        ('accend- avvia- inizia-', 'spegn- ferma- smett- arresta-'),
        ('켜 시작 작동 가동', '꺼 끄 멈 중지 정지 종료'),
        ('zet-aan begin-', 'zet-uit stop-'),
        ('liga- ligue inicia- comec-', 'desliga- desligue pare parar'),
        ('включ- запусти- начн- начать', 'выключ- останов- прекрат- отключ-'),
        ('włącz- uruchom- rozpocznij', 'wyłącz- zatrzymaj- zakończ-'),
        ('başlat- çalıştır-', 'durdur- söndür- bitir-'),
        ('شغل شغّل ابدأ', 'أوقف اوقف أطفئ'),
        ('เริ่ม เปิด', 'หยุด ปิด'),
    ),
    'left': (
        (
            'left port leftward- anticlockwise counterclockwise',
            'right starboard rightward- clockwise',
        ),
        ('左 反時計', '右 (?<!反)時計'),
        ('左 逆时针', '右 (?<!逆)顺时针'),
        ('links linke-', 'rechts rechte-'),
        ('gauche', 'droite'),
        ('izquierd-', 'derech-'),
        ('sinistra', 'destra'),
        ('왼 좌', '오른 우회'),
        ('links linker-', 'rechts rechter-'),
        ('esquerd-', 'direit-'),
        ('влево налево лев-', 'вправо направо прав-'),
        ('lewo lew-', 'prawo praw-'),
        ('sol sola', 'sağ sağa'),
        ('يسار', 'يمين'),
        ('ซ้าย', 'ขวา'),
    ),
    'up': (
        (
            r'(?<!back\s)(?<!pack\s)(?<!wrap\s)(?<!fold\s)up rais- lift- '
            'rise hoist upward- ascend- higher elevate',
            'down lower- drop descend- downward- sink',
        ),
        (
            '上げ 上が 上昇 持ち上 上に 上へ 立て 起こし',
            '下げ 下ろ 降ろ 下降 おろ 下に 下へ 倒し 寝かせ',
        ),
        (
            '上升 升 抬 举 提起 提升 往上 向上 调大 调高 竖起 立起',
            '降 放下 往下 向下 落下 调小 调低 放倒 放平',
        ),
        (
            'hoch heb- hebe rauf hinauf nach-oben oben anheb-',
            'senk- runter hinunter nach-unten unten absenk-',
        ),
        ('lèv- lev- mont- hauss- haut', 'baiss- descend- abaiss- bas'),
        ('sub- levant- alza- eleva- arriba', 'baj- descien- descend- abajo'),
        ('alza- solleva-', 'abbassa- giù scendi'),
        ('올려 올리 들어 위로', '내려 내리 아래'),
        ('omhoog hef til', 'omlaag laat-zakken'),
        ('levant- sob- suba ergu- erga', 'baix- abaix- desc-'),
        ('подним- вверх', 'опуст- вниз'),
        ('podnieś podnieść góry', 'opuść opuścić dół'),
        ('kaldır- yukarı', 'indir- aşağı'),
        ('ارفع', 'اخفض أنزل انزل'),
        ('ยก ขึ้น', 'ลง'),
    ),
    'forward': (
        ('forward- ahead advance onward- straight', 'back backward- reverse rearward- retreat'),
        ('前 前進', '後ろ 後退 後方 バック 後ろ向 下が'),
        ('前进 前進 向前 往前 前行', '后退 後退 向后 往后 倒车 倒退 向後 往後'),
        ('vorwärts voran geradeaus', 'zurück rückwärts'),
        ('avance- avant', 'recul- arrière'),
        ('avanza- adelante', 'retroced- atrás'),
        ('avanti avanza-', 'indietro arretra-'),
        ('앞 전진', '뒤 후진'),
        ('vooruit naar-voren', 'achteruit terug'),
        ('avança- avance frente', 'recua- recue trás'),
        ('вперёд вперед', 'назад'),
        ('przodu naprzód', 'tyłu wstecz'),
        ('ileri', 'geri'),
        ('أمام', 'خلف وراء'),
        ('หน้า', 'หลัง'),
    ),
    'grip': (
        ('grab- grasp- grip clamp hold pick', 'release- let-go ungrip unclamp put-down'),
        ('つか 掴 握', '離 放'),
        ('抓 夹 握 拿起', '放开 松 鬆 放下'),
        ('greif- pack halt-fest', 'lass los loslass-'),
        ('saisi- attrap- prends', 'lâch- relâch-'),
        ('agarra- coge toma', 'suelta- soltar libera-'),
        ('afferra- prendi', 'lascia- rilascia-'),
        ('잡', '놓'),
        ('pak grijp-', 'laat-los loslaten'),
        ('agarra- pega pegue', 'solta- solte larga-'),
        ('схват- возьми', 'отпуст-'),
        ('chwyć złap', 'puść upuść'),
        ('tut yakala-', 'bırak'),
    ),
    'lock': (
        ('lock- engage fasten', 'unlock- disengage unfasten release-'),
        ('ロック 施錠 固定', '解除 解錠 アンロック 外し'),
        ('锁 鎖 锁定 固定', '解锁 解鎖 开锁 解除'),
        ('verriegel- verriegle sperr-', 'entriegel- entriegle entsperr-'),
        ('verrouill-', 'déverrouill-'),
        ('bloque-', 'desbloque-'),
        ('blocca-', 'sblocca-'),
        ('잠', '풀'),
        ('vergrendel-', 'ontgrendel-'),
        ('tranca- bloqueia-', 'destranca- desbloqueia-'),
        ('заблокир-', 'разблокир-'),
        ('zablokuj', 'odblokuj'),
        ('kilitle', 'kilidi'),
    ),
    'more': (
        (
            'increase- more louder faster brighter warmer heat- speed',
            'decrease- reduce- less quieter slower dimmer cooler cool- slow',
        ),
        ('増 速く 強く 明る 加速 温め 大きく', '減 遅く 弱く 暗く ゆっくり 冷や 小さく'),
        ('增 加速 加热 调大 更快 调亮 大声', '减 減 冷却 调小 更慢 调暗 小声'),
        ('erhöh- lauter schneller heller wärmer', 'verringer- leiser langsamer dunkler kühler'),
        ('augment- accélèr-', 'diminu- réduis ralenti-'),
        ('aumenta- más acelera- sube-', 'disminu- reduce- menos baja-'),
        ('aumenta- più', 'diminui- riduci meno'),
        ('높여 키워 빠르', '낮춰 줄여 느리'),
        ('verhoog- harder', 'verlaag- zachter'),
        ('увелич- быстрее громче', 'уменьш- медленнее тише'),
        ('zwiększ- głośniej', 'zmniejsz- ciszej'),
        ('artır-', 'azalt-'),
    ),
    'charge': (
        ('charge- charging recharg-', 'discharg-'),
        ('充電', '放電'),
        ('充电 充電', '放电 放電'),
        ('lad- auflad- aufgelad-', 'entlad-'),
        ('recharg-', 'décharg-'),
        ('carga- recarga-', 'descarga-'),
        ('carica- ricarica-', 'scarica-'),
        ('충전', '방전'),
        ('заряд- заряжа-', 'разряд- разряжа-'),
    ),
    'in': (
        (
            'enter- load- fill- insert- attach connect- dock extend- push- inflate',
            'leave exit- unload- empty remove- detach disconnect- undock retract- pull- deflate',
        ),
        ('入れ 積 接続 取り付 伸ば 押', '出し 降ろ 切断 取り外 縮め 引'),
        ('进入 装 接上 连接 伸 推', '离开 出来 卸 断开 缩 拉'),
        (
            'betret- belad- füll- verbind- ausfahr- schieb-',
            'verlass- entlad- leer- trenn- einfahr- zieh-',
        ),
        ('entre- charge- rempli- connect- pousse', 'sors- décharge- vide- déconnect-'),
        ('entra- carga- llena- conecta- empuja-', 'sal descarga- vacía- desconecta- tira-'),
    ),
}  # fmt: skip
_AROUND = re.compile(r'\(\?(?:[^()]|\([^()]*\))*\)')
_UNSPACED = re.compile('[぀-ヿ一-鿿가-힣؀-ۿ฀-๿]')
_SPACED = re.compile('[a-zà-ÿĀ-žа-яё]')
_DIRECTIONS = ('left', 'up', 'forward', 'more')  # “the left wheel”; in “the load” there is no verb
_NO_THING = r'(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bmy )(?<!\bits )(?<!\byour )'
# Requests to move a thing without a direction.
_VAGUE = re.compile(
    r'\b(?:move|shift|adjust|beweg\w*|bouge\w*|mueve|mover?|muovi|sposta) '
    r"(?:the|my|your|its|den|die|das|le|la|les|l'|el|los|il|lo|o|a)(?: |(?<='))\w+(?: \w+)?$"
    r'|を(?:少し|ちょっと)?動か[^い]*$|을 움직여$|를 움직여$'
    r'|^(?:移动|挪动|调整|[动挪移调])(?:一下|一动|动)?[^到至向往去\d]{1,4}$|^[^向往]{1,4}动(?:一下|一动)$'
)


@lru_cache(8192)
def sides(text: str) -> frozenset[Side]:
    """Return the sides of antonym pairs in a text."""
    return frozenset(
        side
        for spaced, script in ((True, _SPACED), (False, _UNSPACED))
        if script.search(text)
        for side, words in _patterns(spaced).items()
        if words.search(text)
    )


def opposes(first: frozenset[Side], second: frozenset[Side]) -> bool:
    """Return whether both have a pair of which they share no side."""
    if not first or not second:  # of most texts
        return False
    shared = {pair for pair, _ in first & second}
    return not {pair for pair, _ in first} & {pair for pair, _ in second} <= shared


def is_vague(text: str) -> bool:
    """Return whether a text asks to move something without a direction."""
    return _VAGUE.search(text) is not None


def reverse(text: str) -> list[tuple[str, Side]]:
    """Return texts with one word replaced by its antonym, with the side that is replaced."""
    found = []
    for side, word, antonym in _antonyms():
        if _written(word) not in text:  # saves compiling a pattern
            continue
        other, count = re.subn(
            _before(_is_spaced(word), side[0]) + _pattern(word), antonym, text, count=1
        )
        if count and other != text:
            found.append((other, side))
    return found


@cache
def _patterns(spaced: bool) -> dict[Side, re.Pattern[str]]:
    """Return the words of each side, of scripts with blanks (`spaced`) or without."""
    found = {}
    for pair, rows in _PAIRS.items():
        for first in (True, False):
            words = [word for row in rows for word in row[not first].split()]
            forms = '|'.join(_pattern(each) for each in words if _is_spaced(each) is spaced)
            if forms:
                found[pair, first] = re.compile(f'{_before(spaced, pair)}(?:{forms})')
    return found


@cache
def _antonyms() -> tuple[tuple[Side, str, str], ...]:
    """Return each word with its antonym: the first of the other side in its language."""
    return tuple(
        ((pair, not second), word, _written(row[not second].split()[0]))
        for pair, rows in _PAIRS.items()
        for row in rows
        for second in (False, True)
        for word in row[second].split()
    )


def _written(word: str) -> str:
    """Return a word of the table without its lookarounds."""
    return _AROUND.sub('', word).rstrip('-').replace('-', ' ')


def _before(spaced: bool, pair: str) -> str:
    """Return the pattern before a word of a pair."""
    return rf'\b{"" if pair in _DIRECTIONS else _NO_THING}' if spaced else ''


def _is_spaced(word: str) -> bool:
    return not _UNSPACED.search(word)


def _pattern(word: str) -> str:
    if not _is_spaced(word):
        return word
    return word.rstrip('-').replace('-', ' ') + (r'\w*' if word.endswith('-') else '') + r'\b'
