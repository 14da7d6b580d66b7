"""Queries that state a need instead of a name: how they are detected, and what helps then.

"My feet are cold", somewhere to sit, where do they sell bread.

A query that names nothing ("I have not eaten") is compared with needs as people state them
(`needs.txt`), and what helps with them is compared with each thing.
docs/decisions/0179-a-conditional-logit-and-what-people-need.md
"""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
import re

import numpy as np
from numpy.typing import NDArray

from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, is_kind
from embodied_nav.retrieval.terms_of_text import terms_of
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder
from rover_common.llm.sentence_encoder import SentenceEncoder

_WHO = r'(?:i|we|you|one|someone|somebody|people|it|they|he|she|the \w+|a (?:rover|robot))'
_KNOW = '(?:see|saw|find|have|remember|know|spot|notice)'
_IMPLIED = re.compile(
    rf'\b(?:where|what|which \w+|how)\s+(?:could|can|might|may|would|should|do)\s+{_WHO}\b'
    rf'(?!\s+{_KNOW})'
    r'|\b(?:somewhere|something|someplace|anything|anywhere|(?:a )?(?:places?|spots?|things?))\b'
    r'(?:\s+\w+)?\s+(?:to|for|where|that (?:could|can|would|will)|safe|suitable|good)\b'
    r'|\b(?:i|we)\s+(?:am|are|need|have to|want|would like)\b'
    r'(?! (?:(?:you )?to )?(?:go|going|see|look|looking|searching|drive|driving|visit|find|return'
    r'|be at|know)\b)'
    r'|^(?:he|she|someone|somebody|there) (?:is|has|cannot|wants)\b(?! (?:a|an|the|any) [\w ]+$)'
    r'|\b(?:is|are|has|have) (?:almost |nearly )?(?:run (?:out|dry)|out of|low on)\b'
    r'|\b(?:i|we) could (?:really )?(?:do with|use|go for|murder|kill for)\b'
    r'|^(?:something|someone|somebody|everything|everyone|nobody) (?:has |is |just )*\w+ed\b'
    r'|\bneeds? (?:to be )?\w+(?:ing|ed)\b'
    r'|\bwhat (?:is|are) (?:good|suitable|useful) (?:for|to)\b'
    '|(?:できる|できそう|[れえけしせめり]そう|(?<!行)(?<!て)[ぁ-ん]たい|るのに|ための|になる場所|なところ|な場所)'
    '|(?:れ|え|る)(?:場所|所|ところ)'
    '|(?:ないと|なきゃ|なくちゃ|[かさたなまらわばが]せて)(?:[。！!]|$)|[，,](?:得|该|必须)'
    '|(?:哪里|哪儿|什么地方|在哪|怎么)(?:可以|能|会|适合|办)|想(?!去|看|找|到|见)|需要|要\\w*什么'
    '|(?:可以|能够?|适合|容易|方便|用来)[^在]+的?(?:地方|东西|位置)',
    re.IGNORECASE,
)
_STATE = re.compile(  # a sentence that describes a problem, and names no thing to find
    r'^(?!.*\b(?:where|which|what|who|whose|that|how|find|show|go|drive|seen?|saw)\b)'
    r'(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|the|an?)\b)'
    r"[^,;]+? (?:is|are|has|have|needs?|wants?|hurts?|cannot|can't)\b"
    r'|^(?:i|we)\b(?!.*\b(?:where|which|find|show|go|going|drive|driving|look|looking|searching'
    r'|see|saw|seen|visit)\b)'
    r'|^(?:my|our) (?:\w+ ){1,3}?(?:\w+s|\w+ed) \w'
    '|^(?!.*(?:どこ|どの|見))[^、。]+が[^、。]*(?:ている|てる|足りない|ないと)(?:[、。]|$)'
    '|^(?!.*(?:どこ|どの|見))[^、。]+が[^、。]*(?:いた|った|した|んだ|れた|けた|でた|出た|ない)(?:[。、]|$)'
    '|^(?!.*(?:哪|看到|见到|看见))[^，,。的]+了(?:[，,。]|$)'
    '|^(?!.*(?:哪|看|带|见))[^。]*(?:太[^阳空]|不[开动了够着到]|没法|可是|但是)'
)
_SOME = (  # a noun that does not say which thing
    '(?:machines?|devices?|tools?|instruments?|apparatus|things?|something|vehicles?|animals?'
    '|insects?|creatures?|box|container|places?|spots?|rooms?|building|figure|one'
    '|parts?|pieces?|boards?|blocks?|cloth|equipment|gear|structures?|appliances?|gadgets?)'
)
_PEOPLE = '(?:they|you|we|people|someone|somebody|everyone|everybody)'
_DO = (  # a verb that is not about searching for it
    r'(?!(?:did|do|are|were|have|had|ever|also|first|last|just|see|saw|seen|find|found|pass|passed'
    r'|remember|know|notice|noticed|spot|spotted|c[ao]me|think|mean|need)\b)\w+'
)
_WHERE_DOES = (  # not where it sits
    r'^where (?:do|does) (?:the )?(?P<doer>(?!the\b)\w+) (?!(?:sit|lie|stand|hang)s?\b)'
)
_DOES = re.compile(  # described by what it does or is used for: the machine that makes ice
    rf'\b{_SOME} (?:(?:with|in|from|on|through|into) which\b'
    r'|(?:that|which)(?! (?:is|are|was|were|has|have|had|lies?|stands?|looks?|you|we|i)\b)'
    r'|where (?!is\b|are\b)|(?:you|we|one|people) (?!see|saw|found|pass|passed)\w+ \w+'
    r'|used (?:to|for)\b)'
    rf'|\b(?:which|what) {_SOME} (?!(?:is|was|has|does|lies|stands)\b)\w+s\b'
    rf'|{_WHERE_DOES}'
    r'|(?<!\bdid )(?<!\bhave )(?<!\bcan )(?<!\bcould )(?<!\bdo )(?<!\bhad )'
    rf'(?<!\bthat )(?<!\bwhich )(?<!\bwho )\b{_PEOPLE} {_DO}'
    r'|^what (?!(?:is|are|was|were|did|do|does|have|has|had|can|could|lies|stands|sits)\b)'
    r'|^the (?:\w+ ){3,}(?:on|onto|in|into|with|from|through|over|under)$'
    r'|^where (?:is|are|was|were) (?:\w+ ){1,4}?'
    r'(?!(?:located|parked|placed|seen|situated|found)\b)'
    r'(?:(?<!the )(?<! a )\w{2,}[^e]ed\b(?! \w+$)|(?:kept|sold|made|grown|bought)\b)'
    '|(?<![あい])[うくすつぬむぶぐる](?:機械|道具|装置|もの|物|ところ|所|場所|乗り物|動物|人形|部屋|箱)$'
    '|(?<![色是形])的(?:东西|机器|设备|工具|地方)$|用的'
)
_SUBJECTS = (  # what has the problem, or does something, is not what is asked for
    re.compile(_WHERE_DOES),
    re.compile(
        r'^(?:the|my|our|this|that) (?P<doer>\w+)(?:\'s \w+)? (?:is|are|has|have|needs?|wants?)\b'
    ),
)
_LACKS = re.compile(
    r'\b(?:i|we) (?:still )?(?:have|got) (?:no|nothing)\b|没有|[がは](?:ない|ありません)'
)

_CONTRACTED = re.compile(
    r"\b(?P<who>i|he|she|it|we|they|there|someone|somebody|everyone)'(?P<does>s|m|re)\b"
    r"|\b(?P<what>[a-z]+)'s (?=(?:nearly|almost|all|out|run|running|got|gone|not|stuck)\b)"
)
_IN_FULL = {'s': 'is', 'm': 'am', 're': 'are'}


Rows = NDArray[np.float32]
WEIGHTS = Path(__file__).with_name('needs.npz')  # written by bench.models.needs_fit
NEAREST = 5  # needs that count
MIN_COSINE = 0.3  # of a query with a need from which on it may be that one
DECAY = 0.05  # of cosine, over which a need counts less by e


def without_contractions(text: str) -> str:
    """Return a normalised query with its verbs in full: i'm, the tap's run dry."""
    return _CONTRACTED.sub(_in_full, text)


def _in_full(found: re.Match[str]) -> str:
    if what := found['what']:
        return f'{what} is '
    return f'{found["who"]} {_IN_FULL[found["does"]]}'


def mentions_need(text: str) -> bool:
    """Return whether a query states a need or a purpose.

    `text`: normalised, without contractions.
    """
    if _IMPLIED.search(text) or _STATE.match(text):
        return True
    return bool(_DOES.search(text.rstrip('?.。？ ')))


def states_lack(text: str) -> bool:
    """Return whether the asker says that there is none of it: what is lacking is wanted."""
    return bool(_LACKS.search(text))


def subject_of_need(text: str) -> str:
    """Return what has the problem, or does something; empty: the query does not name it."""
    subjects = (found['doer'] for each in _SUBJECTS if (found := each.match(text)))
    return next(subjects, '')


def may_be_need(text: str) -> bool:
    """Return whether a query may state a need: a single term, or a known kind, is a name."""
    terms = terms_of(text)
    return len(terms) > 1 and not any(is_kind(concepts_of(term.text)) for term in terms)


class Needs:
    """The vectors of needs and of what helps.

    Args:
        rows: Of `need_texts()`.
    """

    def __init__(self, rows: Rows) -> None:
        needs = _needs()
        self._statements = rows[: sum(len(statements) for statements, _ in needs)]
        self._starts = _starts([len(statements) for statements, _ in needs])
        remedy_starts = _starts([len(remedies) for _, remedies in needs])
        self._remedies = [*np.split(rows[len(self._statements) :], remedy_starts[1:])]  # by need

    def scores(self, vector: Rows, rows: Rows, classes: Rows) -> tuple[Rows, Rows]:
        """Return how much each thing helps the asker.

        Args:
            vector: Of the query.
            rows: Of the things' texts.
            classes: Of their classes; a row of length 0: not known.

        Returns:
            By the need that it helps most with, and over all needs that the query may state,
            times the similarity of the query with them.
        """
        cosines = np.maximum.reduceat(self._statements @ vector, self._starts)
        nearest = np.argsort(-cosines)[:NEAREST]
        remedies = [self._remedies[need] for need in nearest]
        texts = np.concatenate(remedies) @ rows.T
        similarity = np.maximum(texts, (texts + np.concatenate(remedies) @ classes.T) / 2.0)
        helps = np.maximum.reduceat(similarity, _starts([*map(len, remedies)]))
        gates = np.maximum(0.0, cosines[nearest] - MIN_COSINE)
        shares = np.exp((cosines[nearest] - cosines[nearest[0]]) / DECAY)
        return (gates[:, None] * helps).max(axis=0), gates[0] * (shares @ helps) / shares.sum()


def states_need(vector: Rows) -> bool:
    """Return whether a sentence states a need, in any language, and names nothing.

    By a linear model of its vector, see docs/decisions/0180-what-people-say-who-need-something.md.
    """
    weights = _weights()
    return bool(vector @ weights[:-1] + weights[-1] > 0.0)


def need_texts() -> list[str]:
    """Return the statements of each need, then what helps with each."""
    needs = _needs()
    statements = [text for texts, _ in needs for text in texts]
    return [*statements, *(text for _, texts in needs for text in texts)]


def _starts(counts: list[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *counts[:-1]])


@cache
def _weights() -> Rows:
    found: Rows = np.load(WEIGHTS)['weights'].astype(np.float32)
    return found


@cache
def _needs() -> tuple[tuple[list[str], list[str]], ...]:
    text = files('embodied_nav.retrieval').joinpath('needs.txt').read_text('utf-8')
    lines = (line.split('=>') for line in text.splitlines() if '=>' in line)
    return tuple((_parts(needs, '|'), _parts(remedies, ';')) for needs, remedies in lines)


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)]


class NeedsInQuery:
    """What a query needs, by the own sentence encoder; of another model nothing is known."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def scores(self, query: str, rows: Rows, classes: Rows) -> tuple[Rows, Rows]:
        """Return how much things help the asker, see `Needs.scores`; zeros: not known."""
        if self._embedder is not None and self._needs is not None:
            (vector,) = self._embedder.embed([query])
            if rows.shape[1] == classes.shape[1] == len(vector):
                return self._needs.scores(vector, rows, classes)
        return np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)

    def is_stated_in(self, text: str) -> bool:
        """Return whether a query states a need, see `states_need`; False: unknown."""
        if not isinstance(self._embedder, SentenceEncoder):
            return False
        try:
            return states_need(self._embedder.embed([text])[0])
        except ModelError:
            return False  # the index reports it

    @cached_property
    def _needs(self) -> Needs | None:
        """They are many texts: only the own encoder keeps their vectors on disk."""
        if not isinstance(self._embedder, SentenceEncoder):
            return None
        try:
            return Needs(self._embedder.embed_lasting(need_texts()))
        except ModelError:
            return None  # the index reports it
