"""What is said around a request: courtesy, announcements and asides, and forms of a request.

Asides are reasons, facts, forms of address, exclamations: “We are leaving the hangar, stow the
mast, captain.” A linear model of the encoder's vectors tells them from commands; it is fitted to
the sentences of `asides.txt` against those of `requests.txt` and the tools' examples.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
import re

import numpy as np
from numpy.typing import NDArray

from rover_common.llm.sentence_encoder import sentence_encoder

_RIDGE = 1.0
Rows = NDArray[np.float32]


@cache
def read_sentences(name: str) -> tuple[str, ...]:
    """Return the sentences of a file of this package, without its comments."""
    text = (files(__package__) / name).read_text(encoding='utf-8')
    return tuple(each for each in text.splitlines() if each and not each.startswith('#'))


class Asides:
    """A linear model of asides.

    Args:
        commands: Vectors of the tools' examples.

    Raises:
        ModelError: The sentence encoder is not there.
    """

    def __init__(self, commands: Rows) -> None:
        asides, requests = read_sentences('asides.txt'), read_sentences('requests.txt')
        sentences = sentence_encoder().embed_lasting([*asides, *requests])
        aside = _with_bias(sentences[: len(asides)])
        none = _with_bias(np.concatenate([sentences[len(asides) :], commands]))
        square, sums = _RIDGE * np.eye(aside.shape[1]), np.zeros(aside.shape[1])
        for rows, wanted in ((aside, 1.0), (none, -1.0)):  # which weigh the same
            weight = 0.5 * (len(aside) + len(none)) / len(rows)
            square += weight * (rows.T @ rows)  # by itself: half of the arithmetic
            sums += wanted * weight * rows.sum(axis=0, dtype=np.float64)
        self._plane = np.linalg.solve(square, sums)

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """Return for each vector a score near 1 for an aside and near -1 for none."""
        return np.asarray(_with_bias(rows) @ self._plane, np.float64)


def _with_bias(rows: Rows) -> Rows:
    return np.c_[rows, np.ones(len(rows), np.float32)]


# Courtesy, which gives a command the form of a question or a negation; not what is to be spoken.
_COURTESY = re.compile(
    r'(?<!\bsay )\b(?:it(?:\'d| would) (?:be|help)(?: \w+)?(?: me| us)? (?:if|to)'
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


# “Two things: …” only announces clauses; so does “Right, lower the mast”, which is no turn.
_ANNOUNCES = re.compile(
    r'^\s*(?:(?:ok(?:ay)?|well|so),? )?right(?:,? (?:then|so|now then|well))?,'
    r'(?= \w+ (?:the|an?|me|us|your|it|what|around)\b)'
    r'|^\s*(?:(?:just|i have|there are) )?(?:two|three|four|five|[2-9]|a (?:few|couple of))'
    r' (?:\w+ )?(?:things?|questions?|tasks?|jobs?|requests?|orders?|wishes|points)\s*[:：]'
    r'|^\s*(?:お願い|質問|やること|頼み|用事|用件)?[が]?(?:[二三四2-4]つ|[二三四2-4]点)(?:お願い|質問|ある)?[:：]'
    r'|^\s*[两二三四2-4](?:件事情?|个(?:问题|任务|要求)|点)[:：]'
    r'|^\s*(?:dos|tres|cuatro|[2-4]) (?:cosas|preguntas|tareas|peticiones)\s*:'
    r'|^\s*(?:zwei|drei|vier|[2-4]) (?:dinge|sachen|fragen|aufgaben|bitten)\s*:'
    r'|^\s*(?:deux|trois|quatre|[2-4]) (?:choses|questions|tâches|demandes)\s*:',
    re.IGNORECASE,
)


def without_announcement(text: str) -> str:
    """Return a goal without an announcement of its clauses: “Two things: …”, “Right, …”."""
    return _ANNOUNCES.sub('', text)


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
