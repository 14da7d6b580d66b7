"""Function words of the encoder's languages: what joins wishes, and what turns one round.

An encoder of meanings hardly tells “turn left” from “do not turn left”. These are closed classes
of words, and none of them is about a robot.
"""

from __future__ import annotations

from enum import IntEnum
import re
from typing import Literal, TypeAlias

LANGUAGES = (
    *('en', 'ja', 'zh', 'zh_Hant', 'de', 'fr', 'es', 'it', 'ko', 'nl', 'pl', 'pt', 'ru', 'th'),
    *('tr', 'ar'),
)
Kind: TypeAlias = Literal[
    'negation', 'ending', 'condition', 'question', 'asking', 'past', 'manner'
]

MARK = '\ue000'  # stands in a text for an amount
# Said only to be polite: it makes a question of a wish, or a negation.
_COURTESY = re.compile(
    r'\b(?:it(?:\'d| would) (?:be|help)(?: \w+)?(?: me| us)? (?:if|to)'
    r'|(?:can|could|would|will) (?:ya|ye|yer)'
    r'|(?:would|do) you mind(?: if)?|please|pls|plz|thanks(?: a lot)?|thank you|kindly'
    r'|(?:can|could|would|will) you(?: please)?'
    r'|if (?:you(?:\'d| would| could)? be so (?:good|kind)|you(?: would)? please'
    r'|you (?:don\'t|do not) mind|you would|possible|you can)'
    r'|when(?:ever)? you(?:\'re| are) ready'
    r'|when(?:ever)? you (?:get|have) (?:a|the) (?:chance|moment|minute|second)'
    r'|(?:hey|oi|hi|hello)(?: there)?(?=,? \w)|do me a favou?r and|would you mind|feel free to'
    r'|(?:can|could|may|might) (?:i|we) (?:please )?(?=have|get|see)'
    r"|i wonder (?:whether|if)|i(?:'d| would) (?:love|like|appreciate)(?= an?\b)"
    r"|i(?: want|'d like| would like) to know(?= (?:what|where|which|how))"
    r"|i(?: want|'d like| would like| need) you to|let's|go ahead and|be so kind as to"
    r'|let\'s say|just|now|right now|for me)\b'
    r'|\b(?:jetzt|sofort|maintenant|tout de suite|ahora(?: mismo)?|agora(?: mesmo)?|adesso|subito'
    r'|teraz|сейчас|şimdi)\b|지금(?: 당장)?'
    r'|\b(?:bitte|kannst du|könntest du|können sie|könnten sie|würdest du|wenn möglich)\b'
    r"|\b(?:s'il (?:te|vous) pla[iî]t|stp|svp|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous"
    r'|veuillez|si possible)\b'
    r'|\b(?:por favor|porfa|puedes|podrías|puede|podría|pode|poderia|per favore|puoi|potresti'
    r'|haz el favor de|si eres tan amable|si no te importa'
    r'|si puedes|per piacere|ti prego|se possibile|se puoi|se faz favor'
    r'|por gentileza|se puder|si es posible|se possível)\b'
    r'|\b(?:alsjeblieft|alstublieft|kun je|kunt u|proszę|czy możesz|możesz|пожалуйста|можешь)\b'
    r'|\b(?:lütfen)\b|(?:해 ?)?(?:주세요|줄래\??|주시겠어요\??|주겠니\??)'
    r'|(?:て|で)?(?:もらえ|くれ|いただけ|ください)(?:ますか|ませんか|ますでしょうか)'
    r'|(?<=[てで])(?:もらえ|くれ|いただけ)(?:ます|ません)(?=[?。!]*$)'
    r'|(?<=[てで])(?:もらえない|もらえる|くれない|くれる)(?=\?|$)'
    r'|(?<=[てで])(?:もらってもいいですか|もらっていいですか|ほしいです|ほしい|欲しい)'
    r'|(?<=[てで])(?:くれ|もらえ|いただけ)(?:ると|たら|れば)(?:助か|嬉し|うれし|ありがた)[^。]*'
    r'|(?<=[てで])(?:ちょうだい|頂戴|(?:よ|や|な|ー|けろ|けれ|おくれ|くれや|くれへん|くれんか)(?=[。!?]*$))|ね(?=[。!]?$)|よろしく(?:お願いします|ね|です)?|頼みます|頼む(?=$|よ)'
    r'|^so,? (?=\w)|恐れ入りますが|お手数ですが|申し訳ないけど|できれば|えっと|とりあえず'
    r'|お願いします|お願い(?=$)|ください|下さい|すみませんが?|悪いけど|ちなみに'
    r'|能不能|可不可以|可以(?=[请帮把给在往向开左右前拍])|(?<=^)能(?=[请帮把给])|^你?能(?![看见听感闻]|[^\s]{0,3}[看见])(?=.+吗[?]?$)|麻烦(?:你|您)?|帮(?:我|忙)?(?=\S)'
    r'|^first(?: of all)?,|^(?:zuerst|als erstes|primero|primeiro|per prima cosa)\b,?'
    r'|^(?:まず|先に(?!見))|^先(?=[^别不])'
    r'|^要是(?=.+就好)|就好了?(?=[。!]?$)|请(?:你|您)?|(?:你|您)?可以(?=\S+吗)|好吗|行吗|可以吗|劳驾|拜托|好不好|行不行|可否|能否'
    r'|(?<=[^\s好行])[吧呗](?=[。!]?$)'
)
_KINDS: dict[Kind, re.Pattern[str]] = {
    'negation': re.compile(
        r"\b(?:not|never|no|none|nobody|no-one|neither|nor|nothing|without|cannot|\w+n't|dont|doesnt|avoid\w*"
        r'|except|instead|refuse|forbid\w*|skip|ignore\w*)\b'
        r'|\b(?:nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|rien|nunca|jamás|sin|non|mai'
        r'|senza|não|sem|niemand|personne|nadie|nessuno|ninguém|niet|geen|nooit|zonder|nie|nigdy|bez|не|нет|никогда|без|değil|asla)\b'
        r"|\bn'|지 ?마|않|(?:^| )안 |없이|말고|لا |لم |لن |ليس|بدون|ไม่|อย่า|ห้าม"
        r'|ない|ません|なく(?:て|し)|ずに|(?:る|く|う|す|つ|ぬ|む|ぐ|ぶ)な(?:よ)?$|禁止|以外|決して|誰も'
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
        r'|should(?! be \w)'
        r'|suppos(?:e|ing)|imagine|pretend|assum(?:e|ing)|tomorrow|tonight|eventually)\b'
        r"|\bs'(?=ils? (?!te|vous))"
        r'|\b(?:wenn|falls|sobald|bis|bevor|nachdem|oder|während|quand|lorsque|dès|jusqu\w*'
        r'|(?<!mira )(?<!comprueba )(?<!regarde )(?<!vérifie )(?<!vois )si'
        r'|(?<!guarda )(?<!controlla )(?<!verifica )(?<!veja )(?<!vê )(?<!olha )'
        r'(?<!qué )(?<!cómo )(?<!dónde )(?<!que )(?<!no )se'
        r'|(?<!vu )(?<!en )avant|après|cuando|hasta|(?<!viste )(?<!visto )(?<!viu )antes|después'
        r'|mientras|quando|finché|(?<!visto )prima|dopo|até|depois'
        r'|demain|ce soir|domani|stasera|amanhã|esta noite|esta noche|avísame mañana|heute abend'
        r'|imagina|supón|supongamos|imaginons|supposons|angenommen|immagina|supponi|imagine que'
        r'|als (?:het|de|je|er|ik|u|dit|dat|iets|iemand)|wanneer|totdat|voordat'
        r'|nadat|zodra|jeśli|gdy|kiedy|dopóki|zanim|lub|albo|если'
        r'|когда|пока|или|прежде|после|eğer|zaman|veya)\b'
        r'|(?:으|하|되|지)면|때|또는|거나|إذا|عندما|حتى|أو |قبل|بعد|ถ้า|เมื่อ|จนกว่า|หรือ'
        r'|たら|なら|れば|たびに|度に|場合|もし|とき|時に|(?:あと|後)で|[ただる](?:後|あと)|または|もしくは|あるいは'
        r'|明日|今夜|今晩|来週'
        r'|如果|要是|假如|假设|想象|的话(?!题)|直到|除非|要么|之前(?![看见那的说记去发遇])|之后|以后|或者|还是|或|当.+时|等到|一旦|后再|一.{1,6}就(?![行好够])'
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
        r"(?!'(?:d|m|ll)\b| (?:want|need|wish|wonder|hope|would)\b)"
        r'|he|she|they|we|someone|somebody)\b'
        r'|\b(?:was|were|had|did|yesterday|used to)\b'
        r'|\b(?:this morning|last (?:night|week)|ago|ayer|esta mañana|hier soir|ce matin|gestern'
        r'|heute morgen|ieri|stamattina|ontem)\b'
        r'|昨日|さっき(?!の|見)|(?:ました|した|った|んだ)[。]?$|だった|のに[。!]?$|昨天|刚才|过了|过$|已经|我(?:打|关|升|开)'
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
        r'|後進|再次|又|慢慢|快速|每|所有|倒着|一遍|两遍|ごと|おき'
    ),
}
_IF = re.compile(
    r'if|when|whenever|once|as soon as|たら|れば|なら|とき|如果|要是|假如|的话(?!题)|一旦'
    r'|wenn|falls|sobald|si|quand|lorsque|dès|cuando|se|quando|als .+|wanneer|zodra'
    r'|jeśli|gdy|kiedy|если|когда|eğer|zaman|(?:으|하|되|지)면|때|إذا|عندما|ถ้า|เมื่อ'
)
_BACK = re.compile(r'backwards?|reverse|倒着')
_AGAIN = re.compile(r'再次|再一次|もう\s*[一1]回')
_ALL = re.compile('all|everything|全部|すべて|所有')
_THEN = re.compile(r'(?:たら|なら|れば|場合|とき|時に|的话(?!题)|就)は?[、,，]?\s*(?=\S)')
# “As far as”, before a place; before anything else “until”.
AS_FAR_AS = re.compile(r'condition: (?:até|hasta|jusqu\w*|bis)')
# Asks which of several is meant; nothing is called so.
_WHICH = re.compile(
    r'\b(?:which(?:ever)?|what(?:ever)?|whose|where|welche\w*|quel\w*|qué|cuál\w*|qual|quale|quali|welke|który|które|która'
    r'|какой|какую|hangi)\b|どの|どれ|どちら|哪|什么|어느|어떤|무슨'
)
# Of the conditions those that say when in the goal's course, not whether.
_COURSE = re.compile(
    r'before|after|until|till|but|bevor|nachdem|bis|avant|après|jusqu\w*|antes|después|hasta'
    r'|(?:あと|後)で|[たる]後|直到|之前|之后|以后|后再'
)
# Alternating forms that ask, and mean no negation.
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


class Joint(IntEnum):
    """What joins two parts of a goal, the weakest first: only a word says that they are two."""

    COMMA = 0
    MARK = 1
    AND = 2
    THEN = 3


_ENDS = '.;!\n。！；'
_AND = re.compile('&|and|und|et|y|e|en|и|ve|そして|并且|并|그리고')
# Where a reason or a purpose begins or ends that no mark parts from the wish.
_SUBJECT = (
    r'(?:i|we|he|she|they|it|somebody|someone|anybody|anyone|nobody|everybody|everyone|people)\b'
)
_REASON = (
    rf"(?:because|'cause|cos|cuz|so that"
    rf"|so (?={_SUBJECT}|(?:\w+ ){{1,3}}(?:can|could|will|won't|don't|doesn't)\b)"
    rf'|(?:before|while|(?<!soon )as) (?={_SUBJECT}))'
    r'|weil|damit|denn|porque|para que|parce que|pour que|perché|omdat|zodat'
)
_REASON_BEGINS = re.compile(
    rf'(?:{_REASON})\b|因为|因為|免得|省得|以免|以防|好让'
    # What there is.
    r"|there(?:'s| is| are) (?!any\b)"
    r'|(?:左|右|前|后|那|这|上|下|旁)(?:边|面|方|侧|里)(?:有|就是|是)(?!没|什么|啥|几|多少|谁|不是)'
)
_OF_OTHERS = re.compile(
    r"(?:(?:i|we|he|she|they|it|there|nobody|somebody|this|that|my|our|his|her|the \w+)(?:'\w+)? )"
    r'|no(?: no)+$|(?:我|我们|他|她|他们|孩子|这|那|大家|看)|(?:私|僕|俺|誰|みんな|よく|遠く)'
)
_TE = re.compile(r'[\u3041-\u30ff\u4e00-\u9fff][てで]$(?<!ので)(?<!急いで)')
_DESIRE = re.compile(
    r"^(?:i|we)(?:'d| would| could)? ?(?:like|want|need|love|use|fancy)\b"
    r'|(?:ほしい|欲しい|たい|お願い|頼む|頼み)(?:です|します|ます|ん|な|よ|ね|わ)*[。!]?$'
    r'|^(?:我|我们|咱们?|俺)?(?:想要?|要|需要|希望)(?!走|出发|下班)'
    r'|^(?:quiero|queremos|quisiera|necesito|ich (?:möchte|will|hätte)|wir (?:möchten|wollen)'
    r'|je (?:veux|voudrais)|vorrei|voglio|quero|queria)\b'
)
_REASON_ENDS = re.compile(
    r'(?:(?<=[るいだたうすつむぶ])から|(?<=に)[^\sに]{1,8}(?:がいる|がある|がおる)よ?|(?<=[るた])ため|ので(?!す)|さかい|けど|けれど|けれども)$'
)
_WORDS = '|'.join((
    *('and only then', 'only then', 'and then', 'and', 'then', 'afterwards', 'after that'),
    *('followed by', 'finally', 'next'),
    *('und dann', 'und', 'danach', 'dann', 'anschließend'),
    *('et puis', 'et ensuite', 'et', 'puis', 'ensuite'),
    *('y luego', 'y después', 'luego', r'y(?! (?:a|avait|en)\b)'),
    *('e poi', 'poi', 'e depois', 'e então', 'e', 'en dan'),
    *(r'en(?= (?:stop|maak|neem|ga|rij|draai|zet|kijk|wacht|sla|vertel)\b)',),
    *('daarna', 'i potem', 'potem', 'а потом', 'и', 'затем', 'потом', 've', 'sonra'),
))  # fmt: skip
# What follows て and is no wish of its own.
_AUXILIARY = (
    r'\s*(?:く(?:ださ|れ)|下さ|も(?:ら|い)|ほし|欲し|お願|い(?:る|ま|て|た|け|い)|あ[るり]|る|み(?:て|る|よ)'
    r'|お(?:い|く|り)|き|来|は|も|よ|ね|、|。|\W|$)'
)
_JOINTS = re.compile(
    rf'[.;!&\n。！；]|,|、|，|(?<=\?)|(?<![\w\'’-])(?:{_WORDS})(?![\w-])'
    rf'|(?<=て)から|(?<=[んい]で)から|(?<=[^\W\d_a-z]て)(?<!として)(?<!ついて)(?<!連れて)(?<!持って)(?!から)(?!て)(?!(?:どこ|何|どの|どれ|いつ|誰))(?!$)(?!{_AUXILIARY})'
    rf'|(?<=[んい]で)(?!から|す|し[たょ])(?!$)(?!{_AUXILIARY})'
    r'|そして|それから|その後|次に|つぎに|然后|然後|接着|接著|(?<=[,，])(?:之后|随后|あと)|之后再|并且|并|(?<=[^\s不别])(?<!不用)(?<!不要)(?<!不必)(?<!无需)\s*再(?=\s*\S)'
    r'|그리고|그다음|(?<=[가-힣]) 다음에? |고 나서|(?<![창보])고(?= (?!있|싶))|แล้ว'
    rf'|(?<=[^\s,.;!?]) (?=(?:{_REASON})\b)|(?=因为|因為|免得|省得|以免|以防|好让)'
    r'|(?<=[るいだた]から)(?=\s?[^、,。\s])|(?<=[るいだたな]ので)(?=\s?[^、,。\sす])'
    # After something that takes so long: “左转5秒后直行”; at the beginning it says when.
    rf'|(?<=[^\W\d_] {MARK} )(?:之后|以后|后(?![退面方])|(?:した)?後に?)(?=\S)'
    r'|(?<=[,，])[后後](?![退面方ろ])'
)
# What is said last and is to be done first: “take a picture, but raise the mast first”.
_BUT = r'\b(?:but|aber|mais|pero|ma|mas|maar)'
_SOONER = (
    r'(?:first(?: of all)?|before (?:that|(?:you do|doing)(?: (?:so|that|it|this))?)|beforehand'
    r"|zuerst|vorher|davor|d'abord|avant(?: (?:ça|cela))?|antes(?: de eso)?|primero|primeiro"
    r'|prima|eerst)'
)
_LATE_AND_EARLY = tuple(
    map(
        re.compile,
        (
            rf'^(?P<late>.+?)[\s,.;]*{_BUT},? (?P<early>.*?){_SOONER}\b,?(?P<more>.*)$',
            rf'^(?P<late>.+?)[.;] {_SOONER},? (?P<early>.+)$',
            rf'^before (?:you )?(?!that\b)(?!{_SUBJECT})'
            r'(?P<late>(?:\([^)]*\)|[^,(])+), (?P<early>.+)$',
            r'^(?P<early>.+?),? before (?:you (?!do\b)(?=\w)|(?=\w+ing\b))(?P<late>.+)$',
            r'^after (?P<early>\w+ing\b[^,]*), (?P<late>.+)$',
            r'^(?P<late>.+?),? after (?P<early>\w+ing\b.*)$',
            r"^(?:bevor du|avant de|avant d'|antes de|prima di) (?P<late>[^,]+), (?P<early>.+)$",
            r"^(?P<early>.+?),? (?:bevor du|avant de |avant d'|antes de|prima di) ?(?P<late>.+)$",
            r'^(?P<late>.+?)[。、,.!\s]*(?:でも|ただし?|けど)?[、,]?その前に[、,]?(?P<early>.+)$',
            r'^(?P<late>.+?(?:る|(?<![もこ])う|(?<!す)く|す|つ|む|ぶ|ぬ))前に[、,]?(?P<early>.+)$',
            r'^(?P<late>.+?)[,。;\s]*(?:不过|但是?|只是|可是)[,]?(?:在?此之前|之前)?[,]?要?先(?P<early>.+)$',
            r'^在?(?P<late>.{2,}?)(?:之前|以前)(?:[,]先?|先)(?P<early>.+)$',
            r'^(?P<late>.{2,}?)(?<![往向朝])前[,]?先(?P<early>.+)$',
        ),
    )
)
_HAVING_DONE = re.compile(r'([ただ])(?:あと|後)(?:[にで])?[、,]?(?=\S)')


# In German and Dutch “then” may follow its verb: “und fahr dann vorwärts” is “und dann fahr …”.
_THEN_AFTER_VERB = re.compile(
    r'((?:^|[.,;!]|\b(?:und|en))\s*)([^\W\d_]+(?: (?:dich|den|die|das|de|het|je))?)'
    r' (dann|danach|anschließend|dan|daarna)(?= )'
)


def without_courtesy(text: str) -> str:
    """Return a part of a goal without what is only polite."""
    rest, count = _COURTESY.subn(' ', text)
    return ' '.join(rest.split()).strip(' ,?吗' if count else ' ,')


# “When you are there”, behind a wish to go somewhere or to do something.
_ARRIVED = re.compile(
    r"\b(?:when|once|as soon as) (?:you(?:'re|'ve)?(?: are| get| have| got)?"
    r' ?(?:there|done|finished|ready|arrived?|stopped|reach (?:it|that)|get (?:there|to it))'
    r'|there|done|that(?:\'s| is) done)\b|\b(?:up)?on (?:arrival|arriving|getting there)\b'
    r'|\b(?:(?:quand|dès que|lorsque) tu (?:y )?(?:es|seras|arrives)(?: là| arrivé)?'
    r'|une fois (?:là(?:-bas)?|arrivé|sur place)|en arrivant|à l\'arrivée'
    r'|(?:cuando|en cuanto) (?:llegues|estés (?:allí|ahí))|al llegar|una vez (?:allí|ahí)'
    r'|(?:quando|appena) (?:arrivi|sei arrivat[oa]|(?:ci )?sei lì|sarai lì)|arrivat[oa] lì'
    r'|una volta (?:lì|là|arrivat[oa]|giunt[oa])|all\'arrivo'
    r'|(?:quando|assim que) (?:chegares|chegar|lá chegares)|ao chegar|uma vez lá'
    r'|wenn du (?:da|dort|angekommen) bist|sobald du (?:da|dort|angekommen) bist'
    r'|(?:dort|am ziel) angekommen|(?:als|zodra) je er bent|eenmaal daar'
    r'|gdy (?:dojedziesz|będziesz na miejscu)|jak dojedziesz|po dotarciu|na miejscu'
    r'|когда (?:доедешь|приедешь|будешь на месте)|по прибытии|oraya varınca|varınca)\b'
    r'|도착하면|도착한 (?:다음|뒤|후)에?|도착해서'
    r'|(?<![^\s、,。])(?:(?:着い|到着し|止まっ|停まっ|終わっ)たら|到着後に?)'
    r'|(?<![看听遇找得收感想见])到(?:了|达)(?:那里|那儿|地方|之?后|以后|后)*'
    r'|到那(?:里|儿|边)?(?:之后|以后|后)|抵达(?:之后|以后|后)'
)


# What joins two wishes, left over where a model cuts between them.
_JOINT_ALONE = re.compile(
    rf'(?:{_WORDS}|but|so|also|now|next|from|first|depois|a|seguir|a seguir|ensuite|poi|dann'
    r'|その|あと|後|その(?:あと|後)|それから|で|次に|然后|然後|再|接着|最后|之后|后|来|着|、|;)'
    rf'(?: (?:{_WORDS}))*'
)
# “Once you have reached it, …”: what is to be done before the rest.
_DONE_BEFORE = re.compile(
    r"^(?:once|when|after|as soon as) (?:you(?:'ve| have) |a |having |\w+ing )"
    r'|(?:たら|(?:た|だ)(?:あと|後)(?:[にで])?|之后|以后|(?<![前向往])后|完)[、,]?$'
)


def is_done_before(text: str) -> bool:
    """Return whether a plain wish says of itself that it is to be done before the next one."""
    return _DONE_BEFORE.search(text) is not None


def only_joins(text: str) -> bool:
    """Return whether a plain text is only a word that joins two wishes."""
    return _JOINT_ALONE.fullmatch(text) is not None


def without_arrival(text: str) -> str:
    """Return a plain text without words that say when what stands before it is done."""
    return ' '.join(_ARRIVED.sub(' ', text).split())


def behind_arrival(text: str) -> str:
    """Return a plain part without words at its beginning that say when the one before is done."""
    found = _ARRIVED.match(text)
    return text[found.end() :].lstrip(' ,、') if found else text


# What something must follow, in the languages that have articles and prepositions.
_NEEDS_MORE = re.compile(
    r'(?<![\w’\'-])(?:the|(?:of|for|with|like|into|at) an?|(?<!\boh )my|your|of|for|for about|to'
    r'|towards?|from|into|between|der|dem|des|einen|einem|zum|zur|für|etwa|ungefähr'
    r'|le|les|aux?|pendant|vers|environ|el|del|al|hacia|por|durante|il|gli|di|della|dello|dei'
    r'|delle|degli|alla|allo|verso|circa|nel|nella|dal|dalla|per|à|às|ao|ongeveer|naar de|van de'
    r'|przez|około|для|около|из)[ .,!…]*$'
    r'|[把往朝][。，,!]*$'
)


def is_cut_off(text: str) -> bool:
    """Return whether a plain part ends where something must follow: “a picture of the”."""
    return _NEEDS_MORE.search(text) is not None


# “Over there”, at the end of a part: what was named before.
_THERE = re.compile(
    r'(?:\b(?:it|there|them|lì|là|allí|ahí|dort|dorthin|là-bas|daarheen)|そこ(?:に|へ|まで)?(?:行って)?'
    r'|那里|那儿|那边)[ .!,。]*$'
)


def points_back(text: str) -> bool:
    """Return whether a plain part ends in a word for what was named before it."""
    return _THERE.search(text) is not None


def asks_which(text: str) -> bool:
    """Return whether a plain text asks which of several is meant."""
    return _WHICH.search(text) is not None


def switched(text: str) -> frozenset[bool]:
    """Return whether a plain text switches something on (True), off (False), both or neither."""
    return frozenset(each for each, words in _SWITCHED.items() if words.search(text))


# In Japanese what a wish is about may come last: 何個ありますか、岩は.
_TOPIC_LAST = re.compile(r'^(?P<rest>[^、,]+)[、,](?P<topic>[^、,。]{1,12}は)[。?!]*$')


def in_order(text: str) -> str:
    """Return a plain text with what is to be done first before the rest."""
    text = _HAVING_DONE.sub(lambda match: {'た': 'て、', 'だ': 'で、'}[match[1]], text)
    text = _TOPIC_LAST.sub(r'\g<topic>\g<rest>', text)
    for each in _LATE_AND_EARLY:
        if found := each.search(text):
            early = found['early'].strip() + found.groupdict().get('more', '')
            return f'{early.strip(" ,.!?。")}; {found["late"].strip()}'
    return text


# “Two things: …” says only how many wishes follow.
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
# How often it is to go round, which is more than once or less.
_OFTEN_ROUND = re.compile(
    r'[二三四五六七八九十两兩几]\s*(?:个|個)?\s*(?:圈|(?<!四)周(?![围边末])|回(?:転|り|まわ|回)|転)'
    r'|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|mehr)(?:mals?)\b'
    r'|\b(?:several|many|a few|some|varias|muchas|plusieurs|quelques|mehrere|einige)'
    r' (?:times|turns|laps|rounds|rotations|veces|vueltas|fois|tours|runden|umdrehungen)\b'
    r'|何(?:回|度|周)も|好几[圈次遍]|很多[圈次遍]'
)
# An act that is told, as one does in a chat; what begins a tale.
_TOLD = re.compile(
    r'(?:た|(?<![くるうすつむぶぬぐ])んだ)(?:よね[えー]?|よな[あー]?|ね[えー]?|っけ)[。!?]*$'
    r'|(?:上次|上回|昨天|前天|前几天|那天)[^,，。的]*[了过](?![^,，。]*的)|记得.*(?:那次|那天|时候)'
)
_REMINDS = re.compile(
    r"\bremember (?:when|how|that time|the (?:time|day))\b|\bwasn't it (?:fun|great|nice)\b"
    r'|\b(?:te acuerdas|recuerdas) (?:de )?(?:cuando|cómo|la vez|aquel)\b'
    r'|\b(?:weißt du noch|erinnerst du dich)[, ]+(?:(?:daran|noch)[, ]+)?(?:wie|als)\b'
    r'|\b(?:tu te souviens|te souviens-tu|tu te rappelles)'
    r' (?:de )?(?:quand|comment|la fois|du jour)'
)


def without_announcement(text: str) -> str:
    """Return a goal without what only says how many wishes follow: “Two things: …”."""
    return _ANNOUNCES.sub('', text)


def goes_round_often(text: str) -> bool:
    """Return whether a plain text says to go round several times, or half of one."""
    return _OFTEN_ROUND.search(text) is not None


def tells_what_was(text: str) -> bool:
    """Return whether a plain part tells of an act of the past, and wants none."""
    return _TOLD.search(text) is not None


def reminds(text: str) -> bool:
    """Return whether a plain goal reminds of what was: “remember when …”."""
    return _REMINDS.search(text) is not None


# “Right, then off to the orchard”: no side is meant.
_TURNS_TO = re.compile(
    r'(?:^|(?<=[.?!] ))right'
    r'(?=,? (?:then|now|let|so)\b|, (?:what|who|where|how|we|i|you|class|team)\b),? ?'
)


def split(text: str) -> list[tuple[str, Joint]]:
    """Return the parts of a goal, in their order, and what joins each to the one before."""
    text = _THEN_AFTER_VERB.sub(r'\1\3 \2', _TURNS_TO.sub('', text))
    found: list[tuple[str, Joint]] = []
    begin, joint = 0, Joint.THEN
    for each in (*_JOINTS.finditer(text), None):
        if part := text[begin : each.start() if each else len(text)].strip():
            found.append((part, joint))
        if each is not None:
            joint = max(Joint.COMMA if part else joint, _joint(each))
            begin = each.end()
    return found


def _joint(found: re.Match[str]) -> Joint:
    if found[0]:
        if _AND.fullmatch(found[0].strip()):
            return Joint.AND
        return (
            Joint.COMMA if found[0] in ',、，' else Joint.MARK if found[0] in _ENDS else Joint.THEN
        )
    before, after = found.string[: found.start()], found.string[found.start() :]
    is_mark = before.endswith('?') or ends_in_reason(before) or is_reason(after.strip())
    return Joint.MARK if is_mark else Joint.THEN


def is_reason(text: str) -> bool:
    """Return whether a plain part says why the rest is wanted, by the word at its edge."""
    return _REASON_BEGINS.match(text) is not None or ends_in_reason(text)


def tells_of_others(text: str) -> bool:
    """Return whether a plain text tells of somebody else, so that it denies no wish."""
    return _OF_OTHERS.match(text) is not None


def asks_in_japanese(text: str) -> bool:
    """Return whether a plain text ends as a wish does in Japanese: 閉じて."""
    return _TE.search(text) is not None


def is_desire(text: str) -> bool:
    """Return whether a text says what the speaker wants, which is not only said around a wish."""
    return _DESIRE.search(text) is not None


def ends_in_reason(text: str) -> bool:
    """Return whether a plain text ends in a word that makes a reason of it."""
    return _REASON_ENDS.search(text) is not None


def consequence(text: str) -> str:
    """Return what a plain text wants under its condition; empty: it has none, or says no more."""
    if then := list(_THEN.finditer(text)):
        return text[then[-1].end() :]
    found = _KINDS['condition'].search(text)
    return text[: found.start()].strip() if found else ''


def kinds(text: str) -> frozenset[str]:
    """Return what a plain text says besides a wish: that it asks, denies, sets a condition.

    A question and an ending are kinds, and so is a condition of any words for “if”. Of the others
    each word is one: “not” in an example says nothing of “without” in a goal.
    """
    plain = _ASKS.sub(' ', text)
    found: set[str] = {'question'} if _ASKS.search(text) else set()
    ends = [each.span() for each in _KINDS['ending'].finditer(plain)]
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(plain):
            if kind == 'negation' and any(a <= match.start() < b for a, b in ends):
                continue  # “不要再看了” ends something, and leaves nothing out
            found.add(
                kind if kind in ('question', 'ending') else f'{kind}: {_same_word(match[0])}'
            )
    return frozenset(found)


def _same_word(word: str) -> str:
    """Return one word for all that mean the same."""
    same = ((_IF, 'if'), (_BACK, 'backwards'), (_ALL, 'all'), (_AGAIN, 'again'))
    return next((meaning for pattern, meaning in same if pattern.fullmatch(word)), word)


def leaves_open(said: frozenset[str]) -> frozenset[str]:
    """Return those of the kinds of a text that make it open whether it is a wish of its own.

    How something is done, and in which order, leaves that as it is.
    """
    return frozenset(
        each
        for each in said
        if not each.startswith('manner') and not _COURSE.fullmatch(each.partition(': ')[2])
    )
