"""Function words of the encoder's languages: modifiers of an intent, and courtesy.

A sentence encoder hardly distinguishes “turn left” from “do not turn left”. These are closed
classes of words; none of them is about a robot.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

LANGUAGES = (
    *('en', 'ja', 'zh', 'zh_Hant', 'de', 'fr', 'es', 'it', 'ko', 'nl', 'pl', 'pt', 'ru', 'th'),
    *('tr', 'ar'),
)
Modifier: TypeAlias = Literal[
    'negation', 'ending', 'condition', 'question', 'asking', 'past', 'manner'
]
MASK = '\ue000'  # replaces an amount in a text
# Courtesy, which gives a command the form of a question or a negation.
_COURTESY = re.compile(
    r'\b(?:it(?:\'d| would) (?:be|help)(?: \w+)?(?: me| us)? (?:if|to)'
    r'|(?:can|could|would|will) (?:ya|ye|yer)'
    r'|(?:would|do) you mind(?: if)?|please|pls|plz|thanks(?: a lot)?|thank you|kindly'
    r'|(?:can|could|would|will) you(?: please)?'
    r'|if it(?:\'s| is)(?:n\'t| not| no) (?:too )?(?:much |a )?'
    r'(?:trouble|bother|inconvenient|inconvenience)'
    r'|if (?:you(?:\'d| would| could)? be so (?:good|kind)|you(?: would)? please'
    r'|you (?:don\'t|do not) mind|you would|possible|you can)'
    r'|when(?:ever)? you(?:\'re| are) ready'
    r'|when(?:ever)? you (?:get|have) (?:a|the) (?:chance|moment|minute|second)'
    r'|(?:hey|oi|hi|hello)(?: there)?(?=,? \w)|do me a favou?r and|would you mind|feel free to'
    r'|(?:can|could|may|might) (?:i|we) (?:please )?(?=have|get|see)'
    r"|i wonder (?:whether|if)|i(?:'d| would) (?:love|like|appreciate)(?= an?\b)"
    r"|i(?: want|'d like| would like) to know(?= (?:what|where|which|how))"
    r"|i(?: want|'d like| (?:would|should) like| need) you to"
    r"|i(?:'d| would| should) prefer that you|let's|go ahead and|be so kind as to"
    r'|let\'s say|just|now|right now|for me)\b'
    r'|\b(?:jetzt|sofort|maintenant|tout de suite|ahora(?: mismo)?|agora(?: mesmo)?|adesso|subito'
    r'|teraz|сейчас|şimdi)\b|지금(?: 당장)?'
    r'|\b(?:bitte|kannst du|könntest du|können sie|könnten sie|würdest du|wenn möglich'
    r'|wenn ich bitten darf|wenn es keine umstände macht)\b'
    r"|\b(?:s'il (?:te|vous) pla[iî]t|stp|svp|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous"
    r'|veuillez|si possible|si (?:ça|cela) ne (?:te|vous) dérange pas|je (?:te|vous) prie)\b'
    r'|\b(?:por favor|porfa|puedes|podrías|puede|podría|pode|poderia|per favore|puoi|potresti'
    r'|haz el favor de|si (?:eres|es|fuera)(?: usted)? tan amable|si no (?:te|le) importa'
    r'|si puedes|per piacere|ti prego|se possibile|se puoi'
    r'|se (?:faz|fazes) favor|se non ti (?:di)?spiace'
    r'|por gentileza|se puder|si es posible|se possível)\b'
    r'|\b(?:alsjeblieft|alstublieft|kun je|kunt u|proszę|czy możesz|możesz|пожалуйста|можешь)\b'
    r'|\b(?:lütfen)\b|(?:해 ?)?(?:주세요|줄래\??|주시겠어요\??|주겠니\??)'
    r'|(?:て|で)?(?:もらえ|くれ|いただけ|ください)(?:ますか|ませんか|ますでしょうか)'
    r'|(?<=[てで])(?:もらえ|くれ|いただけ)(?:ます|ません)(?=[?。!]*$)'
    r'|(?<=[てで])(?:もらえない|もらえる|くれない|くれる)(?=\?|$)'
    r'|(?<=[てで])(?:もらってもいいですか|もらっていいですか|ほしいです|ほしい|欲しい)'
    r'|(?<=[てで])(?:くれ|もらえ|いただけ)(?:ると|たら|れば)(?:助か|嬉し|うれし|ありがた)[^。]*'
    r'|(?<=[てで])(?:ちょうだい|頂戴|(?:よ|や|な|ー|けろ|けれ|おくれ|くれや|くれへん|くれんか)(?=[。!?]*$))|ね(?=[。!]?$)|よろしく(?:お願いします|ね|です)?|頼みます|頼む(?=$|よ)'
    r'|^so,? (?=\w)|恐れ入りますが|お手数ですが|差し支えなければ|よろしければ'
    r'|申し訳ないけど|できれば|えっと|とりあえず'
    r'|お願いします|お願い(?=$)|ください|下さい|すみませんが?|悪いけど|ちなみに'
    r'|能不能|可不可以|可以(?=[请帮把给在往向开左右前拍])|(?<=^)能(?=[请帮把给])|^你?能(?![看见听感闻]|[^\s]{0,3}[看见])(?=.+吗[?]?$)|麻烦(?:你|您)?|帮(?:我|忙)?(?=\S)'
    r'|^first(?: of all)?,|^(?:zuerst|als erstes|primero|primeiro|per prima cosa)\b,?'
    r'|^(?:まず|先に(?!見))|^先(?=[^别不])'
    r'|^要是(?=.+就好)|就好了?(?=[。!]?$)|若不麻烦|还望(?:你|您)?|请(?:你|您)?|(?:你|您)?可以(?=\S+吗)|好吗|行吗|可以吗|劳驾|拜托|好不好|行不行|可否|能否'
    r'|(?<=[^\s好行])[吧呗](?=[。!]?$)'
)
_EACH = r'jede[nrsm]?|cada|chaque|ogni|każd\w+|кажд\w+|elke'
_TIMES = (
    r'\w*stunden?|minut\w*|sekunde\w*|horas?|heures?|or[ae]|godzin\w*|час\w*|uur|ve[zc]\w*|fois|volt[ae]'
    r'|mal|raz\w*|tage?|días?|jours?|giorn[io]|dzień|день|раз'
)
_MODIFIERS: dict[Modifier, re.Pattern[str]] = {
    'negation': re.compile(
        r"\b(?:not|never|no|none|nobody|no-one|neither|nor|nothing|without|cannot|\w+n't|dont|doesnt|avoid\w*"
        r'|except|instead|refuse|forbid\w*|skip|ignore\w*)\b'
        r'|\b(?:nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|rien|nunca|jamás|sin|non|mai'
        r'|senza|não|sem|niemand|personne|nadie|nessuno|ninguém|niet|geen|nooit|zonder|nie|nigdy|bez|не|нет|никогда|без|değil|asla)\b'
        r"|\bn'|지 ?마|않|(?:^| )안 |없이|말고|لا |لم |لن |ليس|بدون|ไม่|อย่า|ห้าม"
        r'|\b(?:(?:an)?statt|au lieu|en (?:vez|lugar)|invece|em vez|zamiast|вместо)\b'
        r'|代わりに|而不是'
        r'|ない|ません|なく(?:て|し)|ずに|(?:る|く|う|す|つ|ぬ|む|ぐ|ぶ)なよ?(?=[、。!,]|$)|禁止|以外|決して|誰も'
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
        r'|imagina|supón|supongamos|imaginons|supposons|angenommen|immagina|supponi|imagine que'
        r'|als (?:het|de|je|er|ik|u|dit|dat|iets|iemand)|wanneer|totdat|voordat'
        r'|nadat|zodra|jeśli|gdy|kiedy|dopóki|zanim|lub|albo|если'
        r'|когда|пока|или|прежде|после|eğer|zaman|veya)\b'
        r'|(?:으|하|되|지)면|때|또는|거나|إذا|عندما|حتى|أو |قبل|بعد|ถ้า|เมื่อ|จนกว่า|หรือ'
        r'|たら|なら|れば|たびに|度に|場合|もし|とき|時に|(?:あと|後)で|[ただる](?:後|あと)|または|もしくは|あるいは'
        r'|明日|今夜|今晩|来週'
        r'|如果|要是|假如|假设|想象|的话(?!题)|直到|除非|要么|之前(?![看见那的说记去发遇])|之后|以后|或者|还是|或|当.+时|等到|一旦|后再|一.{1,6}就(?![行好够])|万一|只要(?=.+就)|(?<!到此)为止'
        r'|明天|明早|今晚|下周|待会儿?|等会儿?|过会儿'
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
        r'\b(?:why|how|who|whose|whom)\b|^can (?=the|it|this|that)'
        r'|^(?:tell|ask|remind) (?:me|us|him|her|them) to\b'
    ),
    'past': re.compile(
        r'\b(?:(?<!\btra )(?<!\bcon )(?<!\bper )i(?! \w+[^aeouy\W]i\b)'
        r"(?!'(?:d|m|ll)\b| (?:want|need|wish|wonder|hope|would|should)\b)"
        r'|he|she|they|we|someone|somebody)\b'
        r'|\b(?:was|were|had|did|yesterday|used to)\b'
        r'|\b(?:this morning|last (?:night|week)|ago|ayer|esta mañana|hier soir|ce matin|gestern'
        r'|heute morgen|ieri|stamattina|ontem)\b'
        r'|昨日|さっき(?!の|見)|(?:ました|した|った|んだ)[。]?$|だった|のに[。!]?$|昨天|刚才|过了|过$|已经|我(?:打|关|升|开)'
        r"|\bj'aurais (?:bien )?(?:aimé|voulu)\b|\bhubi(?:era|ese)\b|\bavrei voluto\b"
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
        r'|via|avoiding|past|through|bypassing|along|(?:round|around)(?= (?:the|that|this)\b)'
        r'|at the same time|simultaneously)\b'
        r'|\b(?:al mismo tiempo|a la vez|en même temps|gleichzeitig|contemporaneamente'
        r'|allo stesso tempo|ao mesmo tempo)\b|同時に|同时|一边'
        r'|経由|避けて|通って|经过|绕过|避开'
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
_BACK = re.compile(
    r'backwards?|reverse|倒着|倒车|后退|rückwärts|en .*arrière|à reculons|(?:marcha|hacia) atrás'
    r"|in retromarcia|all'indietro|de ré|wstecz|do tyłu|задним|achteruit"
    r'|뒤로|후진|後ろ(?:向き)?に|後進'
)
_AGAIN = re.compile(r'再次|再一次|もう\s*[一1]回')
_RATE = re.compile(rf'manner: (?:every.*|each|每|毎|ごと|おき|매|마다|{_EACH})')
_ALL = re.compile('all|everything|全部|すべて|所有')
_THEN = re.compile(r'(?:たら|なら|れば|場合|とき|時に|的话(?!题)|就)は?[、,，]?\s*(?=\S)')
# “As far as”, before a place; before anything else “until”.
AS_FAR_AS = re.compile(r'condition: (?:até|hasta|jusqu\w*|bis)')
# Asks which of several is meant; no name.
_WHICH = re.compile(
    r'\b(?:which(?:ever)?|what(?:ever)?|whose|where|welche\w*|quel\w*|qué|cuál\w*|qual|quale|quali|welke|który|które|która'
    r'|какой|какую|hangi)\b|どの|どれ|どちら|哪|什么|어느|어떤|무슨'
)
# Conditions that say when, not whether.
_COURSE = re.compile(
    r'before|after|until|till|but|bevor|nachdem|bis|avant|après|jusqu\w*|antes|después|hasta'
    r'|(?:あと|後)で|[たる]後|直到|之前|之后|以后|后再'
)
# Alternating forms of questions, without a negation.
_ASKS = re.compile(r'有没有|是不是|能不能|可不可以|见没见过?|(.)[不没]\1')
_SWITCHED = {
    True: re.compile(
        r'(?<!\beye )(?<!\beyes )\bon\b|オン|つけ|点け|点灯|打开|開|开'
        r'|\b(?:an(?=\W*$)|ein|einschalten|allume\w*|enciende|accendi|liga|aan|włącz)\b'
    ),
    False: re.compile(
        r'\boff\b|オフ|消し|消灯|关|關|\b(?:aus|ausschalten|éteins|apaga|spegni|desliga|uit|wyłącz)\b'
    ),
}
_OF_OTHERS = re.compile(
    r"(?:(?:i|we|he|she|they|it|there|nobody|somebody|this|that|my|our|his|her|the \w+)(?:'\w+)? )"
    r'|no(?: no)+$|(?:我|我们|他|她|他们|孩子|这|那|大家|看)|(?:私|僕|俺|誰|みんな|よく|遠く)'
)
_TE = re.compile(r'[\u3041-\u30ff\u4e00-\u9fff][てで]$(?<!ので)(?<!急いで)')
_SHORT_TE = re.compile('[ぁ-ゖ]{1,2}(?<!っ)て')
_DESIRE = re.compile(
    r"^(?:i|we)(?:'d| would| could)? ?(?:like|want|need|love|use|fancy)\b"
    r'|(?:ほしい|欲しい|たい|お願い|頼む|頼み)(?:です|します|ます|ん|な|よ|ね|わ)*[。!]?$'
    r'|^(?:我|我们|咱们?|俺)?(?:想要?|要|需要|希望)(?!走|出发|下班)'
    r'|^(?:quiero|queremos|quisiera|necesito|ich (?:möchte|will|hätte)|wir (?:möchten|wollen)'
    r'|je (?:veux|voudrais)|vorrei|voglio|quero|queria)\b'
)


def without_courtesy(text: str) -> str:
    """Return a text without courtesy."""
    rest, count = _COURTESY.subn(' ', text)
    return ' '.join(rest.split()).strip(' ,?吗' if count else ' ,')


# Articles and prepositions, which something must follow.
_NEEDS_MORE = re.compile(
    r'(?<![\w’\'-])(?:the|(?:of|for|with|like|into|at) an?|(?<!\boh )my|your|of|for|for about|to'
    r'|towards?|from|into|between|der|dem|des|einen|einem|zum|zur|für|etwa|ungefähr'
    r'|le|les|aux?|pendant|vers|environ|el|del|al|hacia|por|durante|il|gli|di|della|dello|dei'
    r'|delle|degli|alla|allo|verso|circa|nel|nella|dal|dalla|per|à|às|ao|ongeveer|naar de|van de'
    r'|przez|około|для|около|из)[ .,!…]*$'
    r'|[把往朝][。，,!]*$'
)


# A connective at the end: “and then”.
_NEEDS_A_CLAUSE = re.compile(
    r'(?<![\w’\'-])(?:and|und|et|followed by'
    r'|(?:and|und|et|y|e|i|en|ve|а) (?:then|after that|dann|danach|puis|ensuite|luego|después|poi'
    r'|depois|dan|daarna|potem|потом|sonra)|(?:, )(?:then|dann|puis|luego|poi|potem|потом|sonra))'
    r'(?: (?:uh|um|er|erm|äh|ähm|euh|eh))?[ .,…]*$'
    r'|(?:それから|そのあと|その後|そして|次に|つぎに|[てで]から)(?:えーと?|えっと)?[、。… ]*$'
    r'|(?:然后|接着|并且|接下来|(?<![不别])再)[呃嗯]?[,，。… ]*$'
    r'|(?:그리고|그다음에?|다음에는?) *[.…]*$'
)


def is_cut_off(text: str) -> bool:
    """Return whether a clause ends where something must follow: “a picture of the”."""
    return any(each.search(text) for each in (_NEEDS_MORE, _NEEDS_A_CLAUSE))


def asks_which(text: str) -> bool:
    """Return whether a text asks which of several is meant."""
    return _WHICH.search(text) is not None


def switched(text: str) -> frozenset[bool]:
    """Return whether a text switches something on (True), off (False), both or neither."""
    return frozenset(each for each, words in _SWITCHED.items() if words.search(text))


# “Two things: …” only announces clauses.
_ANNOUNCES = re.compile(
    r'^\s*(?:(?:just|i have|there are) )?(?:two|three|four|five|[2-9]|a (?:few|couple of))'
    r' (?:\w+ )?(?:things?|questions?|tasks?|jobs?|requests?|orders?|wishes|points)\s*[:：]'
    r'|^\s*(?:お願い|質問|やること|頼み|用事|用件)?[が]?(?:[二三四2-4]つ|[二三四2-4]点)(?:お願い|質問|ある)?[:：]'
    r'|^\s*[两二三四2-4](?:件事情?|个(?:问题|任务|要求)|点)[:：]'
    r'|^\s*(?:dos|tres|cuatro|[2-4]) (?:cosas|preguntas|tareas|peticiones)\s*:'
    r'|^\s*(?:zwei|drei|vier|[2-4]) (?:dinge|sachen|fragen|aufgaben|bitten)\s*:'
    r'|^\s*(?:deux|trois|quatre|[2-4]) (?:choses|questions|tâches|demandes)\s*:',
    re.IGNORECASE,
)
# A number of turns other than one.
_OFTEN_ROUND = re.compile(
    r'[二三四五六七八九十两兩几]\s*(?:个|個)?\s*(?:圈|(?<!四)周(?![围边末])|回(?:転|り|まわ|回)|転)'
    r'|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|mehr)(?:mals?)\b'
    r'|\b(?:several|many|a few|some|varias|muchas|plusieurs|quelques|mehrere|einige)'
    r' (?:times|turns|laps|rounds|rotations|veces|vueltas|fois|tours|runden|umdrehungen)\b'
    r'|何(?:回|度|周)も|好几[圈次遍]|很多[圈次遍]'
)
# Narration of a past act, as in small talk.
_NARRATION = re.compile(
    r'(?:た|(?<![くるうすつむぶぬぐ])んだ)(?:よね[えー]?|よな[あー]?|ね[えー]?|っけ)[。!?]*$'
    r'|(?:上次|上回|昨天|前天|前几天|那天)[^,，。的]*[了过](?![^,，。]*的)|记得.*(?:那次|那天|时候)'
)
_REMINDER = re.compile(
    r"\bremember (?:when|how|that time|the (?:time|day))\b|\bwasn't it (?:fun|great|nice)\b"
    r'|\b(?:te acuerdas|recuerdas) (?:de )?(?:cuando|cómo|la vez|aquel)\b'
    r'|\b(?:weißt du noch|erinnerst du dich)[, ]+(?:(?:daran|noch)[, ]+)?(?:wie|als)\b'
    r'|\b(?:tu te souviens|te souviens-tu|tu te rappelles)'
    r' (?:de )?(?:quand|comment|la fois|du jour)'
)


def without_announcement(text: str) -> str:
    """Return a goal without an announcement of its clauses: “Two things: …”."""
    return _ANNOUNCES.sub('', text)


def goes_round_often(text: str) -> bool:
    """Return whether a text asks for several turns, or for half a turn."""
    return _OFTEN_ROUND.search(text) is not None


def narrates_past(text: str) -> bool:
    """Return whether a clause narrates a past act, and asks for none."""
    return _NARRATION.search(text) is not None


def reminds(text: str) -> bool:
    """Return whether a goal reminds of the past: “remember when …”."""
    return _REMINDER.search(text) is not None


def is_about_others(text: str) -> bool:
    """Return whether a text is about somebody else, so that its negation denies no command."""
    return _OF_OTHERS.match(text) is not None


def asks_in_japanese(text: str) -> bool:
    """Return whether a text ends in the Japanese form of a request: 閉じて."""
    return _TE.search(text) is not None


def is_short_verb(text: str) -> bool:
    """Return whether a text is a Japanese request of one short verb in kana: とじて."""
    return _SHORT_TE.fullmatch(text) is not None


def is_desire(text: str) -> bool:
    """Return whether a text states what the speaker wants, which is no aside."""
    return _DESIRE.search(text) is not None


def consequence(text: str) -> str:
    """Return the consequence of the condition in a text; empty: there is none."""
    if then := list(_THEN.finditer(text)):
        return text[then[-1].end() :]
    found = _MODIFIERS['condition'].search(text)
    return text[: found.start()].strip() if found else ''


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
