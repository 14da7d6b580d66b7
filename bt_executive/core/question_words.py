"""Recognises goals that ask only for an answer, in English, Japanese or Chinese. Pure.

A text that is not clearly a question counts as a request to act, for which an answer alone is no
success. "Can you drive on?" requests a drive; so does "What do you see? Then drive on".
"""

from __future__ import annotations

import re
import unicodedata

_ASKS = re.compile(
    r'(?:please |now |and |ok |okay |hey )*(?:'
    r"(?:what|which|where|when|who|whose|why|how)(?:'s|'re)?\b"
    r'|(?:is|are|am|was|were|does|did|has|had|may|should)\b'
    r'|(?:do|have) (?:you|we|i|they|there|any|all)\b'
    r'|(?:(?:can|could|will|would) you (?:please )?)?'
    r'(?:tell|say|show|list|describe|explain|report|name|summari[sz]e|answer|read|help|hello|hi'
    r'|thanks|thank you|see|hear)\b'
    r')'
)
_REQUEST = re.compile(
    r'(?:please )*(?:can|could|will|would|may|shall) (?:you|we|i)\b|(?:let us|lets)\b'
)
_DOES = (
    'drive|go|move|turn|take|open|close|raise|lower|come|rotate|capture|stop|navigate|nudge|head'
    '|return|look|find|explore|reach|follow|approach|park|wait|start|begin'
)
_THEN_DOES = re.compile(
    rf'(?:^|[.!?;,\n]|\band|\bthen)\s*(?:then |please |and |now )*(?:{_DOES})\b'
)
_ASKS_JA = re.compile(
    r'(?:教えて|見せて|説明して|報告して|聞かせて)(?:ください|下さい|くれ|ほしい|欲しい)?(?:[。.!?]|$)'
)
_QUESTION_JA = re.compile(
    r'(?:か|の|かな|だい)[。?]*$|(?:何|なに|どこ|いつ|誰|だれ|なぜ|どう|いくつ|どれ|どの).*[?]$'
)
_REQUEST_JA = re.compile(r'(?:くれ|もらえ|いただけ|くださ|下さ)(?:ます|ません|る|ない)か?[。?]*$')
_ASKS_ZH = re.compile(r'^(?:请)?(?:告诉|说明|描述|列出|报告|介绍|什么|哪|谁|怎么|为什么|多少|几)')
_WHAT_ZH = re.compile(r'(?:什么|哪|谁|怎|多少|几).*[?]$')
_QUESTION_ZH = re.compile(r'(?:吗|呢|么)[。?]*$')
_REQUEST_ZH = re.compile(r'^(?:请)?(?:你)?(?:能|可以|能不能|可不可以|麻烦)')


def is_question(text: str) -> bool:
    """Return whether a text asks for an answer, and for nothing else."""
    plain = ' '.join(unicodedata.normalize('NFKC', text).casefold().split())
    if _THEN_DOES.search(plain) or not plain:
        return False
    if plain.isascii():
        if _ASKS.match(plain):
            return True
        return plain.endswith('?') and not _REQUEST.match(plain)
    always = (_ASKS_JA.search(plain), _ASKS_ZH.match(plain), _WHAT_ZH.search(plain))
    if any(always) or _ASKS.match(plain):
        return True
    if _REQUEST_JA.search(plain) or _REQUEST_ZH.match(plain) or _REQUEST.match(plain):
        return False
    return bool(_QUESTION_JA.search(plain) or _QUESTION_ZH.search(plain) or plain.endswith('?'))
