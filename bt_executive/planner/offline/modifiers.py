"""Words that change what an intent means: negation, condition, question, past, manner.

A sentence encoder hardly distinguishes “turn left” from “do not turn left”. These are closed
classes of words in its languages; none of them is about a robot.
"""

from __future__ import annotations

from functools import lru_cache
import re
from typing import Literal, TypeAlias

from bt_executive.planner.offline.amounts import MASK

Modifier: TypeAlias = Literal[
    'negation', 'ending', 'condition', 'question', 'asking', 'past', 'manner'
]
_EACH = (
    r'jede[nrsm]?|alle|cada|chaque|tou(?:te)?s les|tod[oa]s (?:los|las|os|as)|ogni'
    r'|tutt[ie] (?:i|le)|każd\w+|co|кажд\w+|elke|iedere|om de'
)
_TIMES = (
    r'\w*stunden?|minut\w*|sekunde\w*|horas?|heures?|or[ae]|godzin\w*|час\w*|uur|ve[zc]\w*|fois|volt[ae]'
    r'|mal|raz\w*|tage?|días?|jours?|giorn[io]|dzień|день|раз'
)
_BACKING = r'(?:(?:please|then|now|just|and) )*back(?:ing)? (?:away|off|up|out of)'
_MODIFIERS: dict[Modifier, re.Pattern[str]] = {
    'negation': re.compile(
        r"\b(?:not|never|no|none|nobody|no-one|neither|nor|nothing|without|cannot|\w+n't|dont|doesnt|avoid\w*"
        r'|except|instead|refuse|forbid\w*|prevent\w*|skip|ignore\w*)\b'
        r'|\b(?:nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|rien|nunca|jamás|sin|non|mai'
        r'|senza|não|sem|niemand|personne|nadie|nessuno|ninguém|niet|geen|nooit|zonder|nie|nigdy|bez|не|нет|никогда|без|değil|asla)\b'
        r"|\bn'|지 ?마|않|(?:^| )안 |없이|말고|لا |لم |لن |ليس|بدون|ไม่|อย่า|ห้าม"
        r'|\b(?:(?:an)?statt|au lieu|en (?:vez|lugar)|invece|em vez|zamiast|вместо)\b'
        r'|代わりに|而不是'
        r'|ない(?!か(?:[なね、。?]|$))|ません(?!か(?:[ね、。?]|$))|なく(?:て|し)|ずに|(?:る|く|う|す|つ|ぬ|む|ぐ|ぶ)なよ?(?=[、。!,]|$)|禁止|以外|決して|誰も'
        r'|んでも?(?:いい|ええ|よい)|遠慮(?:して|ください|願)|免了|甭'
        r'|不|别|別|(?:没|沒)(?!有?[?]?$)|勿|禁止|除了|莫要|无需'
    ),
    'ending': re.compile(
        r'\b(?:stop|quit|cease|halt|cancel|end|abort)(?: the)? \w+ing\b'
        r'|\b(?:hör\w* auf|aufhören|beende\w*|(?:arrêt|cess)\w+ d[e\']|smett\w+ di|stop met'
        r'|(?:par|deix|dej|termin)[ae] de|houd op|перестан\w+|прекрат\w+|przestań|zakończ)(?!\w)'
        r'|(?:그만|중지|종료|멈추)|توقف عن|كف عن|หยุด|เลิก|bırak\b'
        r'|やめ|切り上げ|打ち切|おしまい|終わり|終了|中止|別再|别再|不用再|不用(?=[^\W\d_]{1,4}了)|不要再|结束|取消|停止(?=[^\W\d_])'
    ),
    'condition': re.compile(
        r'\b(?:(?<!see )(?<!check )(?<!look )(?<!find out )(?<!verify )'
        r'(?<!tell me )(?<!know )(?<!say )if|when|whenever|unless'
        r'|until|till|(?<!a )while|after|otherwise|or|but'
        r'|(?<!saw )(?<!seen )before(?! (?:you|me|us|it)\b)'
        r'|once(?= (?:the|it|you|there|that|this|we|i|he|she|they|an?|done|\w+ing|\w+ is)\b)'
        r'|in an? (?:hour|minute|moment|while|day|week)|as soon as|in case|might|may|later'
        r'|(?<!\bi )(?<!\bwe )should(?! be \w)'
        r'|providing|provided(?= (?:that|no\w*|you|the|it|there|we)\b)|(?:as|so) long as'
        r'|once(?= \w+ (?:has|have)\b)'
        r'|suppos(?:e|ing)|imagine|pretend|assum(?:e|ing)|tomorrow|tonight|eventually)\b'
        r"|\bs'(?=ils? (?!te|vous))"
        r'|\b(?:wenn|falls|sobald|bis|bevor|nachdem|oder|während|quand|lorsque|dès|jusqu\w*'
        r'|(?<!mira )(?<!comprueba )(?<!regarde )(?<!vérifie )(?<!vois )si'
        r'|(?<!guarda )(?<!controlla )(?<!verifica )(?<!veja )(?<!vê )(?<!olha )'
        r'(?<!qué )(?<!cómo )(?<!dónde )(?<!que )(?<!no )se'
        r'|(?<!vu )(?<!en )avant|après|cuando|hasta|(?<!viste )(?<!visto )(?<!viu )antes|después'
        r'|mientras|quando|finché|(?<!visto )prima|dopo|até|depois'
        r'|(?<!\bho )(?<!\bha )(?<!hanno )appena|gdyby|skoro'
        r'|demain|ce soir|domani|stasera|amanhã|esta noite|esta noche|avísame mañana|heute abend'
        r'|(?<!guten )morgen'
        r'|imagina|supón|supongamos|imaginons|supposons|angenommen|immagina|supponi|imagine que'
        r'|als (?:het|de|je|er|ik|u|dit|dat|iets|iemand)|wanneer|totdat|voordat'
        r'|nadat|zodra|jeśli|gdy|kiedy|dopóki|zanim|lub|albo|если'
        r'|когда|пока|или|прежде|после|eğer|zaman|veya)\b'
        r'|(?:으|하|되|지)면|때|또는|거나|إذا|عندما|حتى|أو |قبل|بعد|ถ้า|เมื่อ|จนกว่า|หรือ'
        r'|たら|なら|れば|たびに|度に|場合|もし|とき|時に|(?:あと|後)で|[ただる](?:後|あと)|または|もしくは|あるいは'
        r'|明日|今夜|今晩|来週'
        # To act as if.
        r'|ふり(?=を|[。!?]*$)|フリ(?=を|[。!?]*$)|假装|假裝|装作|佯装'
        r'|\b(?:fais semblant|fing[ei]|finja|haz como si|fai finta|als ob|doe alsof)\b'
        r'|如果|要是|假如|假设|想象|的话(?!题)|直到|除非|要么|之前(?![看见那的说记去发遇])|之后|以后|或者|还是|或|当.+时|等到|一旦|后再|一(?![点些下会]).{1,6}就(?![行好够])|万一|只要(?=.+就)|(?<!到此)为止'
        r'|明天|明早|今晚|下周|待会儿?|等会儿?|过会儿|我(?:喊|叫|说|招手|示意|挥手)(?:你|了|你?一声)(?=再|$)'
    ),
    'question': re.compile(
        r'^(?:is|are|was|were|am|do(?= (?:you|we|i|they|the|these|those|any)\b)|does|did|has'
        r'|have(?= (?:you|we|i|they)\b)|had|can|could|would|will|what|which|who'
        r"|whom|whose|why|how|when|where|what's|where's|who's|how's)\b|\bhow (?:can|do|does|to)\b"
        r'|(?:か|かな|(?<!も)の)[。?]*$|は[?]?$|(?:何|なに|なぜ|どう|どこ|どれ|誰|いくつ|いくら|いつ)'
        r'|[吗呢嘛没沒][。?]*$|没有[?]*$|什么|为什么|怎么|怎样|多少|哪|谁|几(?:个|点|次|时)|(?:有没有|是不是|多[久远大高快])'
        r'|\?\s*$'
    ),
    'asking': re.compile(
        r'\b(?:why|how|who|whose|whom|warum|wieso|weshalb|pourquoi|por qué|perché|waarom'
        r'|dlaczego|почему)\b|^can (?=the|it|this|that)'
        r'|^(?:tell|ask|remind) (?:me|us|him|her|them) to\b'
    ),
    'past': re.compile(
        r'\b(?:(?<!\btra )(?<!\bcon )(?<!\bper )i(?! \w+[^aeouy\W]i\b)'
        r"(?!'(?:d|m|ll)\b| (?:want|need|wish|wonder|hope|would|should)\b)"
        r'|he|she|they|we|someone|somebody)\b'
        r'|\b(?:was|were|had|did|yesterday|used to)\b'
        r'|\b(?:this morning|last (?:night|week)|ago|ayer|esta mañana|hier soir|ce matin|gestern'
        r'|heute morgen|ieri|stamattina|ontem)\b'
        r'|昨日|さっき(?!の|見)|(?:ました|した|った|んだ|[れけげじめせ]た)(?=(?:の|ん)?(?:です)?か?[。?]*$)|だった|のに[。!]?$|昨天|刚才|过了|过$|已经|我(?:打|关|升|开)'
        r"|\bj'aurais (?:bien )?(?:aimé|voulu)\b|\bhubi(?:era|ese)\b|\bavrei voluto\b"
        # Whether the robot has done something.
        r'|\bhave you(?: \w+)?(?= (?:\w+(?:ed|en|ne|wn)|shot|made|put|shut)\b)'
        r'|\b(?:as-tu|avez-vous|tu as|vous avez)(?= \w+(?:é|i|u|is|it|rt)e?s?\b)'
        r'|\bhast du(?=.* \w*ge\w+(?:t|en)\b)|\bheb je(?=.* \w*ge\w+\b)'
        r'|\bhas(?= \w+(?:[ai]do|cho|sto|rto)\b)|\bhai(?= \w+(?:[aiu]to|[st]to|so)\b)'
        r'|\bvocê(?: já)?(?= \w+(?:ou|eu|iu)\b)|了(?=没有?[?。]*$|几[张次回])'
        r'|더라면|본 적|[었았했]었'
        # What somebody has said, or says again and again.
        r'|\b(?:shout(?:ed|s)|yell(?:ed|s)?|keeps? saying|siempre (?:repite|dice|grita)|gritó'
        r'|a dit (?:à|aux?|de)|mandou|disse|gritou|sagte|rief|ha (?:detto|gridato))\b'
        r'|[^\s,，。]{2,}(?:跟|对|冲|朝|向)[^\s,，。"“]{1,4}(?:说|喊|嚷|叫)[:：,，]?\s*["“「]'
        r'|た(?:の|ん)は?[、,]?(?:だれ|誰)'
        # What the speaker does, not what he wants.
        r'|^我(?![想要需希的这们])|^(?:私|僕|俺)[がはも](?!.*(?:たい|ほしい|欲しい|願い))'
        r'|^(?:yo|ich|je|io|eu) (?!quiero|querría|quisiera|necesito|will|möchte|hätte|brauche'
        r'|veux|voudrais|voglio|vorrei|quero|queria|preciso)'
    ),
    'manner': re.compile(
        r'\b(?:twice|thrice|times|again|all(?! the way)|every\w*|each|both|half|many|more|less'
        r'|often|always|sometimes|slowly|slower|faster|fast|quickly|carefully|repeatedly|backwards?|reverse|off'
        rf'|sideways|diagonally|^{_BACKING}'
        r'|on repeat|in a loop|immer wieder|en boucle|encore et encore|una y otra vez'
        r'|in continuazione'
        r'|via|avoiding|past|through|bypassing|along|(?:round|around)(?= (?:the|that|this)\b)'
        r'|at the same time|simultaneously)\b'
        r'|\b(?:al mismo tiempo|a la vez|en même temps|gleichzeitig|contemporaneamente'
        r'|allo stesso tempo|ao mesmo tempo)\b|同時に|同时|一边'
        r'|反复|反復|繰り返し|横向き|斜めに|横着|侧着|斜着|経由|避けて|通って|经过|绕过|避开'
        r'|[二三四五六七八九十两兩几\d]\s*[回度次个個つ](?!も)|再一次|毎|全部|すべて|もう\s*[一1]回|何度も|ゆっくり|速く'
        r'|\b(?:rückwärts|en (?:marche )?arrière|à reculons|(?:marcha|hacia) atrás'
        r"|in retromarcia|all'indietro|de ré|wstecz|do tyłu|задним|achteruit)\b"
        r'|뒤로|후진|後ろ(?:向き)?に|倒车|后退'
        rf'|\b(?:{_EACH})(?= (?:{MASK}|(?:\w+ )?(?:{_TIMES})\b))|매(?=시간|분|초|일|번)|마다'
        r'|ずつ|往復|来回|往返|後進|再次|又|慢慢|快速|每|所有|倒着|一遍|两遍|ごと|おき'
    ),
}
_IF = re.compile(
    r'if|when|whenever|once|as soon as|たら|れば|なら|とき|如果|要是|假如|的话(?!题)|一旦'
    r'|wenn|falls|sobald|si|quand|lorsque|dès|cuando|se|quando|als .+|wanneer|zodra'
    r'|jeśli|gdy|kiedy|если|когда|eğer|zaman|(?:으|하|되|지)면|때|إذا|عندما|ถ้า|เมื่อ'
)
_WHETHER = re.compile(
    r'if|unless|in case|suppos\w+|provid\w+|(?:as|so) long as|otherwise|or|falls|oder|sofern'
    r"|s'|si|se|o|ou|gdyby|jeśli|lub|albo|если|или|eğer|veya|als .+"
    r'|もし|場合|なら|れば|または|もしくは|あるいは|如果|要是|假如|假设|万一|除非|要么|的话(?!题)|或者|还是|或|只要'
)
_BACK = re.compile(
    rf'backwards?|reverse|{_BACKING}|倒着|倒车|后退|rückwärts|en .*arrière'
    r'|à reculons|(?:marcha|hacia) atrás'
    r"|in retromarcia|all'indietro|de ré|wstecz|do tyłu|задним|achteruit"
    r'|뒤로|후진|後ろ(?:向き)?に|後進'
)
_AGAIN = re.compile(r'再次|再一次|もう\s*[一1]回')
_RATE = re.compile(rf'manner: (?:every.*|each|每|毎|ごと|おき|매|마다|{_EACH})')
_ALL = re.compile('all|everything|全部|すべて|所有')
_THEN = re.compile(r'(?:たら|なら|れば|場合|とき|時に|的话(?!题)|就)は?[、,，]?\s*(?=\S)')
# “As far as”, before a place; before anything else “until”.
AS_FAR_AS = re.compile(r'condition: (?:até|hasta|jusqu\w*|bis)')
# Conditions that say when, not whether.
_COURSE = re.compile(
    r'before|after|until|till|but|bevor|nachdem|bis|avant|après|jusqu\w*|antes|después|hasta'
    r'|(?:あと|後)で|[たる]後|直到|之前|之后|以后|后再'
)
# Alternating forms of questions, without a negation.
_ASKS = re.compile(r'有没有|是不是|能不能|可不可以|见没见过?|(.)[不没]\1')


# A number of turns other than one.
_OFTEN_ROUND = re.compile(
    r'[二三四五六七八九十两兩几]\s*(?:个|個)?\s*(?:圈|(?<!四)周(?![围边末])|回(?:転|り|まわ|回)|転)'
    r'|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|mehr)(?:mals?)\b'
    r'|\b(?:several|many|a few|some|varias|muchas|plusieurs|quelques|mehrere|einige)'
    r' (?:times|turns|laps|rounds|rotations|veces|vueltas|fois|tours|runden|umdrehungen)\b'
    r'|何(?:回|度|周)も|好几[圈次遍]|很多[圈次遍]'
)
# Narration of a past act, as in small talk, and how a thing works: “the mast goes up on a rod”.
_NARRATION = re.compile(
    r'^(?:the|a|an|that|this|its?) (?:little |whole )?[^\W\d_]+ (?:always |usually |just )?'
    r'(?:goes|comes|turns|folds|moves|drives|rises|opens|closes|rotates|rolls|swings|lifts|lowers)\b'
    r'|(?:わけ|仕組み)(?:です|だ|なん(?:です|だ))?(?:よ|ね)*[。!]*$|'
    r'(?:た|(?<![くるうすつむぶぬぐ])んだ)(?:よね[えー]?|よな[あー]?|ね[えー]?|っけ)[。!?]*$'
    r'|(?:上次|上回|昨天|前天|前几天|那天)[^,，。的]*[了过](?![^,，。]*的)|记得.*(?:那次|那天|时候)'
)
_REMINDER = re.compile(
    r'\bi was (?:going|about|meaning) to\b|\bi wonder (?:if|whether) (?!you\b)'
    r"|\bremember (?:when|how|that time|the (?:time|day))\b|\bwasn't it (?:fun|great|nice)\b"
    r'|\b(?:te acuerdas|recuerdas) (?:de )?(?:cuando|cómo|la vez|aquel)\b'
    r'|\b(?:weißt du noch|erinnerst du dich)[, ]+(?:(?:daran|noch)[, ]+)?(?:wie|als)\b'
    r'|\b(?:tu te souviens|te souviens-tu|tu te rappelles)'
    r' (?:de )?(?:quand|comment|la fois|du jour)'
    r'|\b(?:he|she|they) (?:said|says|told (?:me|us|you))[,:] '
    r'|\b(?:er|sie) (?:sagte?|meinte|rief)[,:] '
)


# Where to look, and not where to drive.
_GAZE = re.compile(
    r'[左右](?:側|の方|の?ほう)?[をにへ](?:見|み)て'
    r'|(?:向|往|朝)[左右](?:边|侧|面)?看|看(?:一下|看)?[左右](?:边|侧|面|方)(?=$|[,。])'
    r'|^look (?:to (?:the |your )?)?(?:left|right)\b'
)


def looks_aside(text: str) -> bool:
    """Return whether a text asks to look to the left or the right."""
    return _GAZE.search(text) is not None


def goes_round_often(text: str) -> bool:
    """Return whether a text asks for several turns, or for half a turn."""
    return _OFTEN_ROUND.search(text) is not None


# A wish that is taken back as a whole: by some words anywhere, by others at the end of a goal.
_REVOKED = re.compile(
    r'\bbut never ?mind\b'
    r'|\b(?:just kidding|only joking|war nur (?:ein )?(?:spaß|scherz)'
    r'|je (?:plaisante|rigole)|es broma)\b'
    r'|开玩笑|なんてね|冗談(?:だ|です)'
    r'|\b(?:take (?:that|it|this) back|never ?mind|forget (?:it|that|what i said)|disregard that'
    r"|changed my mind|(?:it|that)(?:'s| is) (?:fine|ok|okay|good) (?:as it is|the way it is)"
    r'|leave (?:it|that)(?: alone| as it is)?|vergiss es|doch nicht|hat sich erledigt'
    r'|laisse tomber|finalement non|olvídalo|déjalo|mejor no|lascia (?:stare|perdere)'
    r'|come non detto)[ .!,;…]*$'
    r'|(?:没事了|(?:还是)?算了吧?|当我没说|不用了|就这样(?:挺好|就好|就行)'
    r'|やっぱり?(?:いい(?:や|です)?|なし)|なんでもない(?:です)?|気にしないで|今のは?なし'
    r'|(?:そのまま|このまま)で(?:いい|大丈夫|結構)(?:です)?)[。!！,，… ]*$'
)


# A message to somebody else.
_FOR_OTHERS = re.compile(
    r'^(?:please )?(?:tell|ask|remind|get) (?:the|that|those|these|my|our) (?:\w+ ){1,3}?to\b'
    r'|(?:さん|たち|達|員)[にへ][、,]?.*(?:伝え|声をか)'
    r'|(?:跟|和|对|告诉|叫|通知)[^,，。]{1,8}(?:说|讲)?[^,，。]{0,3}[,，]?[让叫请](?:他|她|它|大家)'
)
# As far as a tool does not go.
_LIMITED = re.compile(r'\bbut only (?:up )?to\b|\bno (?:higher|further|lower) than\b')


def is_no_command(text: str) -> bool:
    """Return whether a goal as a whole is no command, whatever its clauses say.

    It reminds of the past (“remember when …”), takes back what it says, is for somebody else, or
    limits an act.
    """
    patterns = (_REMINDER, _REVOKED, _FOR_OTHERS, _LIMITED)
    return any(each.search(text) for each in patterns)


# “看不见”, “过不去”: a verb, and what does not come of it; “今天不去” and “用不着” deny a wish.
_CANNOT = re.compile(
    r'(?<![不这那下])[看听瞧瞅望认辨分找够摸碰拿走跑爬蹲站坐过上下进出回转拐拍拉推搬抬举升降收放伸挪移'
    r'开关打穿绕捞背逛腾定离管脱赔]不(?:见|清|到|着|去|来|了|起|动|进|出|下)'
    r'|[说想记]不(?:清|到|起|出)'
)


def is_inability(text: str) -> bool:
    """Return whether a text says that something is not possible; it denies no wish."""
    return _CANNOT.search(text) is not None


def narrates_past(text: str) -> bool:
    """Return whether a clause narrates a past act, and asks for none."""
    return _NARRATION.search(text) is not None


def consequence(text: str) -> str:
    """Return the consequence of the condition in a text; empty: there is none."""
    if then := list(_THEN.finditer(text)):
        return text[then[-1].end() :]
    found = _MODIFIERS['condition'].search(text)
    return text[: found.start()].strip() if found else ''


@lru_cache(512)
def find_modifiers(text: str) -> frozenset[str]:
    """Return the modifiers of a text, such as questions, negations and conditions.

    A question and an ending are one modifier each, as is a condition with any word for “if”.
    Otherwise each word is one: “not” in an example does not cover “without” in a goal.
    """
    statement = _ASKS.sub(' ', text)
    found: set[str] = {'question'} if _ASKS.search(text) else set()
    ends = [each.span() for each in _MODIFIERS['ending'].finditer(statement)]
    for kind, pattern in _MODIFIERS.items():
        for match in pattern.finditer(statement):
            if kind == 'negation' and any(a <= match.start() < b for a, b in ends):
                continue  # “不要再看了” is an ending, not a negation
            found.add(
                kind if kind in ('question', 'ending') else f'{kind}: {_canonical(match[0])}'
            )
    return frozenset(found)


def has_if_or_unless(text: str) -> bool:
    """Return whether a text sets a condition with “if” or “unless”, not with “when” or “after”."""
    found = _MODIFIERS['condition'].finditer(text)
    return any(_WHETHER.fullmatch(each[0]) for each in found)


def is_question(text: str) -> bool:
    """Return whether a question is among the modifiers of a text."""
    return bool(_ASKS.search(text) or _MODIFIERS['question'].search(text))


def rates_in(text: str) -> frozenset[str]:
    """Return the modifiers of a text that are rates; `MASK` stands for its amounts."""
    found = (f'manner: {_canonical(each[0])}' for each in _MODIFIERS['manner'].finditer(text))
    return frozenset(filter(is_rate, found))


def is_rate(modifier: str) -> bool:
    """Return whether a modifier is a rate: “every”, ごと."""
    return bool(_RATE.fullmatch(modifier))


def _canonical(word: str) -> str:
    """Return one word for all of the same meaning."""
    forms = ((_IF, 'if'), (_BACK, 'backwards'), (_ALL, 'all'), (_AGAIN, 'again'))
    return next((meaning for pattern, meaning in forms if pattern.fullmatch(word)), word)


def doubtful_modifiers(modifiers: frozenset[str]) -> frozenset[str]:
    """Return the modifiers of a text that make it doubtful whether it is a command.

    Those for the manner and the order do not.
    """
    return frozenset(
        each
        for each in modifiers
        if not each.startswith('manner') and not _COURSE.fullmatch(each.partition(': ')[2])
    )


# Withdrawals of a name, which would otherwise be understood as naming.
_TAKES_BACK = re.compile(
    r"(?<!don't )(?<!do not )(?<!not )(?<!never )\b(?:forget(?! it\b| about)|unlearn|delete|erase"
    r'|rename)\b|\bremove\b.*\b(?:names?|memory)\b'
    r'|\bchange\b.*\bname\b|\bcall\b.*\binstead of\b'
    r'|(?:忘れ(?:て(?!しま|き|[たるい]|は|も)|ろ|なさい)|削除|抹消|消去|改名|改称|名前を.{0,12}変え|という名前を.{1,12}に変え)'
    r'|名前を(?:消|取り消)|取り消し|呼び名を.{0,12}変え'
    r'|(?<!不要)(?<![别別勿我])忘(?:掉|记|記)|把.+忘了|^忘了|删|刪|改名|更名|重命名|改叫|改称|抹掉|清除|换个名|换名'
    r'|(?<!no )\b(?:olvid(?:a|e|en|ar|ate|arte)|borr(?:a|ar|e)|elimin\w+|renombr\w+)\b'
    r'|\bcambi\w+ (?:el|de) nombre'
    r'|\b(?:vergiss|vergesst|lösch\w*|umbenenn\w*|streiche?)\b(?! nicht)|\bbenenne?\b.*\bum\b'
    r"|(?<![nj]')\boublie[rsz]?\b(?! pas)|\b(?:supprim\w+|effac\w+|renomm\w+)\b|\bchang\w+ le nom"
)


def takes_back(text: str) -> bool:
    """Return whether a text asks to forget, delete or change a name."""
    return _TAKES_BACK.search(text) is not None
