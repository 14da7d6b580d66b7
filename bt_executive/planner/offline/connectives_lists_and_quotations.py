"""Where a goal is split into clauses, and their order: connectives, lists, quotations."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
import re

from bt_executive.planner.offline.amounts import MASK


class Connective(IntEnum):
    """What joins two clauses, the weakest first; only a word makes two intents certain."""

    COMMA = 0
    PUNCTUATION = 1
    AND = 2
    THEN = 3


_ENDS = '.;!\n。！；'
_AND = re.compile('&|and|und|et|y|e|en|и|ve|そして|并且|并|그리고')
# Starts and ends of a reason or a purpose that no punctuation separates.
_SUBJECT = (
    r'(?:i|we|he|she|they|it|somebody|someone|anybody|anyone|nobody|everybody|everyone|people)\b'
)
_REASON = (
    rf"(?:because|'cause|cos|cuz|so that"
    rf"|so (?={_SUBJECT}|(?:\w+ ){{1,3}}(?:can|could|will|won't|don't|doesn't)\b)"
    rf'|(?:before|while|(?<!soon )as) (?={_SUBJECT}))'
    r'|weil|damit|denn|porque|para que|parce que|pour que|perché|omdat|zodat'
)
_IS_THERE = (
    r"there(?:'s| is| are) (?!any\b)"
    r'|(?:左|右|前|后|那|这|上|下|旁)(?:边|面|方|侧|里)[全都也还]*(?:有|就是|是)(?!没|什么|啥|几|多少|谁|不是)'
)
_REASON_BEGINS = re.compile(rf'(?:{_REASON})\b|因为|因為|免得|省得|以免|以防|好让|{_IS_THERE}')
_STATES = re.compile(_IS_THERE)
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
# Follows て without starting a clause.
_AUXILIARY = (
    r'\s*(?:く(?:ださ|れ)|下さ|も(?:ら|い)|ほし|欲し|お願|い(?:る|ま|て|た|け|い)|あ[るり]|る|み(?:て|る|よ)'
    r'|お(?:い|く|り)|き|来|は|も|よ|ね|、|。|\W|$)'
)
_CONNECTIVES = re.compile(
    rf'[.;!&\n。！；]|,|、|，|(?<=\?)|(?<![\w\'’-])(?:{_WORDS})(?![\w-])'
    rf'|(?<=て)から|(?<=[んい]で)から|(?<=[^\W\d_a-z]て)(?<!として)(?<!ついて)(?<!連れて)(?<!持って)(?!から)(?!て)(?!(?:どこ|何|どの|どれ|いつ|誰))(?!$)(?!{_AUXILIARY})'
    rf'|(?<=[んい]で)(?!から|す|し[たょ])(?!$)(?!{_AUXILIARY})'
    r'|そして|それから|その後|そのあと|次に|つぎに|然后|然後|接着|接著|(?<=[,，])(?:之后|随后|あと)|之后再|并且|并|(?<=[^\s不别])(?<!不用)(?<!不要)(?<!不必)(?<!无需)\s*再(?=\s*\S)'
    r'|그리고|그다음|(?<=[가-힣]) 다음에? |고 나서|(?<![창보])고(?= (?!있|싶))|แล้ว'
    rf'|(?<=[^\s,.;!?]) (?=(?:{_REASON})\b)|(?=因为|因為|免得|省得|以免|以防|好让)'
    r'|(?<=[るいだた]から)(?=\s?[^、,。\s])|(?<=[るいだたな]ので)(?=\s?[^、,。\sす])'
    # After a duration: “左转5秒后直行”; at the start of a goal it is a delay.
    rf'|(?<=[^\W\d_] {MASK} )(?:之后|以后|后(?![退面方])|(?:した)?後に?)(?=\S)'
    r'|(?<=[,，])[后後](?![退面方ろ])'
)
# The last clause is to be executed first: “take a picture, but raise the mast first”.
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
            rf'^before (?:(?:you|we) )?(?!that\b)(?!{_SUBJECT})'
            r'(?P<late>(?:\([^)]*\)|[^,(])+), (?P<early>.+)$',
            r'^(?P<early>.+?),? before (?:you (?!do\b)(?=\w)|(?=\w+ing\b))(?P<late>.+)$',
            r'^after (?P<early>\w+ing\b[^,]*), (?P<late>.+)$',
            r"^(?P<late>.+?),? (?:but )?only (?:after|once) you(?:'ve| have) (?P<early>.+)$",
            r'^(?:zanim|прежде чем|перед тем как|voordat je) (?P<late>[^,]+), (?P<early>.+)$',
            r'^(?P<late>.+?m[ae]d[ae]n) önce,? (?P<early>.+)$',
            r'^(?P<late>.+?[가-힣]기) 전에,? (?P<early>.+)$',
            r'^(?P<late>.+?),? after (?P<early>\w+ing\b.*)$',
            r"^(?:bevor du |avant (?:de |d')|antes de |prima di )(?P<late>[^,]+), (?P<early>.+)$",
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
# “When you are there”, after a clause that asks to go somewhere or to do something.
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
# A connective alone, left over where the networks cut.
_CONNECTIVE_ALONE = re.compile(
    rf'(?:{_WORDS}|but|so|also|now|next|from|first|depois|a|seguir|a seguir|ensuite|poi|dann'
    r'|après|dopo|después|danach'
    r'|その|あと|後|その(?:あと|後)|それから|で|次に|然后|然後|再|接着|最后|之后|后|来|着|、|;)'
    rf'(?: (?:{_WORDS}))*'
)


def only_joins(text: str) -> bool:
    """Return whether a text is only a connective."""
    return _CONNECTIVE_ALONE.fullmatch(text) is not None


def without_arrival(text: str) -> str:
    """Return a text without phrases for the end of the clause before: “once there”."""
    return ' '.join(_ARRIVED.sub(' ', text).split())


def behind_arrival(text: str) -> str:
    """Return a text without such a phrase at its start."""
    found = _ARRIVED.match(text)
    return text[found.end() :].lstrip(' ,、') if found else text


# “Over there”, at the end of a clause: the place that was named before.
_THERE = re.compile(
    r'(?:\b(?:it|there|them|lì|là|allí|ahí|dort|dorthin|là-bas|daarheen)|そこ(?:に|へ|まで)?(?:行って)?'
    r'|那里|那儿|那边)[ .!,。]*$'
)


def points_back(text: str) -> bool:
    """Return whether a text ends in a word for a thing that was named before."""
    return _THERE.search(text) is not None


# In Japanese the topic may come last: 何個ありますか、岩は.
_TOPIC_LAST = re.compile(r'^(?P<rest>[^、,]+)[、,](?P<topic>[^、,。]{1,12}は)[。?!]*$')


# Of two directions the second holds: “left, no, right”, 右、じゃなくて左.
_LEFT_OR_RIGHT = (
    r'(?:(?:left|right|links|rechts|(?:à |a |a la |alla |à la )?(?:gauche|droite|izquierda|derecha'
    r'|sinistra|destra|esquerda|direita))\b|(?:向|往|打)?[左右](?:边|邊|侧|側)?[拐转轉]?(?:に|へ)?)'
)
# What takes the first one back. Alone before the second one, “no”, 不 and 不是 deny that one:
# “left, no right turns”, 左转，不是右转. “Wait” may be a wish of its own.
_TAKES_BACK = (
    r'\b(?:(?:no|non|não)(?=[,.…;-]| (?:sorry|wait|hang on|hold on|i mean|pardon|desculpe?)\b)'
    r'|(?<=no )(?:wait|hang on|hold on)|(?<=no, )(?:wait|hang on|hold on)'
    r'|nope|sorry|i meant?|oops|argh|scratch that|correction|ach|äh|nein|quatsch|macché|pardon'
    r'|perdón|anzi|scusa|aliás|desculpe?)\b'
    r'|いや(?:違う|ちがう)?|じゃなく(?:て)?|ではなく(?:て)?|違う|ちがう'
    r'|[呃哦啊]不(?![向往左右])对?|不对|错了|说错了'
)
_OTHER_DIRECTION = re.compile(
    rf'{_LEFT_OR_RIGHT}(?: please|(?: for| für| per| por)? [\w.]{{1,6}}(?: s\w*)?(?=,))?'
    rf'(?:[ ,、，。.…;-]*(?:{_TAKES_BACK}))+'
    rf'[ ,、，。.…;-]*(?=(?:turn |go |nach )?{_LEFT_OR_RIGHT}(?! (?:there|now|here|away|in)\b))'
)
# Of two places, too: “x 0 y 0, sorry, x 1 y 0”.
_PLACE = r'\(?(?:x ?=? ?)?-?\d[\d.]*(?: ?m)?(?: ?, ?| (?:and )?)(?:y ?=? ?)?-?\d[\d.]*\)?'
_OTHER_PLACE = re.compile(
    rf'{_PLACE}(?:[ ,、，。.…;-]*(?:{_TAKES_BACK}))+[ ,、，。.…;-]*'
    rf'(?:make (?:it|that) )?(?={_PLACE})'
)
# Of two names the second holds: “home, no, base”. Alone, “no” and 不 deny what follows.
_CORRECTS = re.compile(
    r'(?<=\w)[ ,、，。.;…—-]+'
    r'(?:(?:no|nein|non|não|nee)(?=,|,? (?:sorry|wait|i mean|pardon|perdón))'
    r'|(?:no,? )?(?:sorry(?! (?:to|for|about|if)\b)|i mean|scratch that|correction|or rather'
    r'|make that|actually|quatsch'
    r'|ich meine|pardon|perdón|anzi|aliás|je veux dire|quiero decir)\b'
    r'|いや(?:違う|ちがう)?(?=[、,]|\w)|違う[、,]|じゃなく(?:て)?[、,]?'
    r'|[呃哦啊]?不对?[,，、]|不是[,，、]|说错了|我是说)[ ,、，。.;…—-]*(?=\w)'
)


def correction(text: str) -> tuple[str, str]:
    """Return what precedes the last correction of a text, and what follows it; empty: none."""
    found = list(_CORRECTS.finditer(text))
    return (text[: found[-1].start()], text[found[-1].end() :]) if found else ('', '')


# Asks for no drive: what is to be done before it follows a comma.
_BEFORE_LEAVING = re.compile(
    r'^(?:before (?:you )?(?:set(?:ting)? off|start(?:ing)?|leav(?:e|ing)|mov(?:e|ing)(?: off)?)'
    r'|bevor du (?:losfährst|startest|aufbrichst)|avant de (?:partir|démarrer)'
    r'|antes de (?:salir|arrancar|partir)|prima di partire), '
    r'|^(?:動き出す|出発する|走り出す)前に[、,]?|^出发(?:之?前|以前)(?:[,，]先?|先)请?'
)


# Joins no two clauses.
_OVER_AND_OVER = re.compile(r'\b(?:(over|again|round) and \1|time and again)(?: again)?\b')


# “Put the mast back up”: as it was before.
_AS_BEFORE = re.compile(
    r'\b(it|that|this|(?:the|your|my|its) \w+(?: \w+)?) back (?=(?:up|down|open|closed)\b)'
)


def in_execution_order(text: str) -> str:
    """Return a normalized text with its clauses in the order of execution.

    A direction or place that is corrected at once is left out, and “before you set off”, which
    asks for no drive. “Over and over” is “repeatedly”, “put it back up” is “put it up”.
    """
    text = _AS_BEFORE.sub(r'\1 ', _OVER_AND_OVER.sub('repeatedly', text))
    text = _OTHER_PLACE.sub('', _OTHER_DIRECTION.sub('', text))
    text = _BEFORE_LEAVING.sub('', text)
    text = _HAVING_DONE.sub(lambda match: {'た': 'て、', 'だ': 'で、'}[match[1]], text)
    text = _TOPIC_LAST.sub(r'\g<topic>\g<rest>', text)
    for each in _LATE_AND_EARLY:
        if found := each.search(text):
            early = found['early'].strip() + found.groupdict().get('more', '')
            return f'{early.strip(" ,.!?。")}; {found["late"].strip()}'
    return text


# “Right, then off to the orchard”: no direction.
_TURNS_TO = re.compile(
    r'(?:^|(?<=[.?!] ))right'
    r'(?=,? (?:then|now|let|so)\b|, (?:what|who|where|how|we|i|you|class|team)\b),? ?'
)


def split(text: str) -> list[tuple[str, Connective]]:
    """Return the texts of clauses in their order, each with its connective to the one before."""
    text = _THEN_AFTER_VERB.sub(r'\1\3 \2', _TURNS_TO.sub('', text))
    found: list[tuple[str, Connective]] = []
    start, connective = 0, Connective.THEN
    for each in (*_CONNECTIVES.finditer(text), None):
        if clause := text[start : each.start() if each else len(text)].strip():
            found.append((clause, connective))
        if each is not None:
            connective = max(Connective.COMMA if clause else connective, _connective(each))
            start = each.end()
    return found


def _connective(found: re.Match[str]) -> Connective:
    if found[0]:
        if _AND.fullmatch(found[0].strip()):
            return Connective.AND
        if found[0] in ',、，':
            return Connective.COMMA
        return Connective.PUNCTUATION if found[0] in _ENDS else Connective.THEN
    before, after = found.string[: found.start()], found.string[found.start() :]
    is_mark = before.endswith('?') or ends_in_reason(before) or is_reason(after.strip())
    return Connective.PUNCTUATION if is_mark else Connective.THEN


def is_reason(text: str) -> bool:
    """Return whether a clause is a reason, by its first or last word."""
    return _REASON_BEGINS.match(text) is not None or ends_in_reason(text)


def states_what_is_there(text: str) -> bool:
    """Return whether a clause states that something is somewhere: “left of you is …”."""
    return _STATES.match(text) is not None


def ends_in_reason(text: str) -> bool:
    """Return whether a text ends in a word that makes it a reason."""
    return _REASON_ENDS.search(text) is not None


# Articles and prepositions, which something must follow.
_NEEDS_MORE = re.compile(
    r'(?<![\w’\'-])(?<!think )(?<!hear )(?<!dream )'
    r'(?:the|(?:of|for|with|like|into|at) an?|(?<!\boh )my|your|of|for|for about|to'
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


_LACKS_A_VERB = re.compile(r'(?:i|we|he|she|they|who)[ .,!?…]*')


def is_cut_off(text: str) -> bool:
    """Return whether a clause ends where something must follow: “a picture of the”."""
    return any(each.search(text) for each in (_NEEDS_MORE, _NEEDS_A_CLAUSE))


def lacks_a_verb(text: str) -> bool:
    """Return whether a clause names who does something, and not what: “rotate the mast. He”."""
    return _LACKS_A_VERB.fullmatch(text) is not None


QUOTED = re.compile(r'[「『“"‘](.+?)[」』”"’]')


def is_quoted(text: str) -> bool:
    """Return whether a text has a quotation."""
    return QUOTED.search(text) is not None


def unquoted(text: str) -> str:
    """Return a text without quotations."""
    return QUOTED.sub(' ', text)


_ARROW = re.compile(r'\s*(?:[→⇒➔➜➡⟶]|-+>|=+>)\s*')
_BULLET = re.compile(r'^\s*[-*•・–]\s+', re.MULTILINE)
_STEP = r'(?:step|schritt|étape|paso|passo|stap|krok|шаг|手順|ステップ|步骤)'
_KANJI = '一二三四五六七八九十'
# Each with the marks of its items in order. An item starts the text, or follows a space or a mark.
_NUMBERED = tuple(
    (re.compile(rf'(?:^|(?<=[\s,.;:!?，、。；：！？]))\s*{pattern}', re.IGNORECASE), marks)
    for pattern, marks in (
        (rf'{_STEP}\s?(\d+)\s?[.:,)：]?\s*', list(map(str, range(1, 21)))),
        (r'[(（]?(\d+)(?:[.:．：](?!\d)|[)）])\s*', list(map(str, range(1, 21)))),
        (r'\(?([a-j])[.)]\s+', list('abcdefghij')),
        (r'([①-⑩])\s*', list('①②③④⑤⑥⑦⑧⑨⑩')),
        (rf'第([{_KANJI}])步?[,，、:：]\s*', list(_KANJI)),
        (rf'([{_KANJI}])[、.．:：]\s*', list(_KANJI)),
    )
)
_BETWEEN = '; '  # as between two clauses
_LEAST_LETTERS = 2  # of an item
_INTRODUCES = re.compile(r'[^\W\d_]{2,}\s*[:：.,，。\n]\s*$')  # “do the following: ”


def without_list_markers(text: str) -> str:
    """Return a goal with its list items, and what arrows separate, as clauses: “a; b; c”.

    Numbers and letters are markers only if there are at least two, they count from the first, and
    each is followed by words. A goal with a quotation is left as it is: the list may be quoted.
    """
    if is_quoted(text):
        return text
    text = _BULLET.sub(_BETWEEN, _ARROW.sub(_BETWEEN, text))
    for pattern, marks in _NUMBERED:
        found = list(pattern.finditer(text))
        if _is_list(text, found, marks):
            text = pattern.sub(_BETWEEN, text)
    return text.removeprefix(_BETWEEN)


def _is_list(text: str, found: Sequence[re.Match[str]], marks: Sequence[str]) -> bool:
    if len(found) < 2 or [each[1].lower() for each in found] != list(marks[: len(found)]):
        return False
    before = text[: found[0].start()]
    ends = [*(each.start() for each in found[1:]), len(text)]
    items = [text[each.end() : end] for each, end in zip(found, ends, strict=True)]
    return (not before.strip() or _INTRODUCES.search(before) is not None) and all(
        sum(map(str.isalpha, item)) >= _LEAST_LETTERS for item in items
    )
