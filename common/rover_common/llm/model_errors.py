"""What can be wrong with a model call, as one kind of exception with a sentence for people.

The client libraries raise exceptions of their own, often wrapped in each other.
`model_error_of` reads the whole chain of causes, so nothing else here needs to know a provider's
library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
import re

from pydantic import ValidationError

from rover_common.text_sanitizing import sanitize_line

WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
UNREADABLE = (
    'Your last message could not be read. Call one tool, with a JSON object as its arguments.'
)
# How servers report that the conversation is longer than the model's context.
_TOO_LONG = re.compile(
    r'context.?(?:length|window|size|limit)|model token limit|range of input length'
    r'|(?:prompt|inputs?|request|conversation)\b[^.\n]{0,80}'
    r'\b(?:too long|too large|longer than|exceed\w*)\b'
    r'|maximum (?:prompt|input|model|sequence|allowed) length|max_(?:model|seq|input)_len'
    r'|too many (?:input |prompt )?tokens|reduce the length|tokens`? \+ `?max_new_tokens'
    r'|must have less than \d+ tokens',
    re.IGNORECASE,
)
# How they report that a model reads no pictures, and not that a picture is broken.
_TEXT_ONLY = re.compile(
    r'mmproj|not a multi-?modal|support(?:s|ed)? image input|image input is not|for image input'
    r"|(?:not|doesn't|can't) support[^.\n]{0,30}\b(?:images?|vision|multi-?modal)\b"
    r'|\bimages? (?:inputs? )?(?:is|are) not supported'
    r'|image_url`?[^.\n]{0,40}(?:only supported|expected `text`)',
    re.IGNORECASE,
)
_MAY_BE_TEXT_ONLY = frozenset({400, 404, 415, 422, 500, 501})
_TOO_LARGE = 413
_LOADING = 'Loading model'  # llama.cpp's answer until weights are in memory
LOADING_WAIT_S = 10.0  # before the next try, so that a few tries outlast a restart
_MAY_BE_TOO_LONG = frozenset({400, 422, 500})
_REFUSED = frozenset({400, 422, 501})  # for the request itself, from any client
# What client libraries raise for JSON of another form: the text is about their own code.
_MISSES_A_PART = (LookupError, AttributeError, TypeError, ValidationError)
_NO_CHUNKS = 'No generation chunks'  # how langchain's ValueError for an empty stream begins
_TAG = re.compile(r'<[^<>]*>')
_CHAIN = 8  # causes that are examined
_DETAIL = 300  # characters of a provider's own text


@dataclass(eq=False, repr=False)
class ModelError(Exception):
    """The model gave no usable answer.

    Attributes:
        sentence: What is wrong, for an operator.
        again: Whether the same question may be asked again.
        out_of_order: Whether the provider is at fault, so that the circuit breaker counts it.
        wait_s: Seconds to wait before the next try, as the provider requests; else 0.
        hint: Text for the model with the next try, if the fault is the model's own.
        ask_whole: Whether the stream is at fault: the next try requests the whole message.
        too_long: Whether the conversation is longer than what the model can read.
        at_once: Whether the next try need not wait, because its request differs.
        refused: Whether the server refuses the request as such (HTTP 400, 422, 501).
        unusable: Whether there was a message that is neither a call nor an answer.
        text_only: Whether the model cannot be given pictures.
    """

    sentence: str
    _: KW_ONLY
    again: bool = True
    out_of_order: bool = False
    wait_s: float = 0.0
    hint: str = ''
    ask_whole: bool = False
    too_long: bool = False
    at_once: bool = False
    refused: bool = False
    unusable: bool = False
    text_only: bool = False

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False, repr=False)
class GivenUpError(ModelError):
    """The question was given up: nobody knows what the provider would have answered."""

    sentence: str = 'The question was given up.'
    again: bool = False


def model_error_of(
    error: Exception, provider: str, hide: Callable[[str], str], wait_s: float = 0.0
) -> ModelError:
    """The fault that an exception of a client library means.

    Args:
        error: What was raised.
        provider: Its name, for the sentence.
        hide: Removes the key from a text (`ModelSource.hide`). Before the text is cut: half a
            key could not be recognized.
        wait_s: Retry-After of the provider's last answer, in s.
    """
    import httpx  # here: an executive that starts needs no HTTP client

    def detail(what: BaseException) -> str:
        text = hide(str(what))  # of an HTML error page only its text
        return sanitize_line(_TAG.sub(' ', text) if text.startswith('<') else text, _DETAIL)

    for cause in _causes(error):
        if isinstance(cause, ModelError):
            return cause
        status = getattr(cause, 'status_code', None)
        if _is_too_long(cause, status):
            return ModelError(
                f'The conversation is longer than the model of {provider} can read: '
                f'{detail(cause)}',
                again=False,
                too_long=True,
            )
        if status in _MAY_BE_TEXT_ONLY and _TEXT_ONLY.search(str(cause)):
            return ModelError(
                f'The model of {provider} reads text only, and takes no pictures: {detail(cause)}',
                again=False,
                text_only=True,
            )
        if isinstance(status, int) and status >= 300:
            return _of_status(status, provider, detail(cause), wait_s)
        if _is_within_a_stream(cause, status):
            return _broken(f'{provider} ended its answer with an error: {detail(cause)}')
        if isinstance(cause, httpx.TimeoutException):
            limit = 'connect_s' if isinstance(cause, httpx.ConnectTimeout) else 'silence_s'
            what = f'{type(cause).__name__}, request.{limit}'
            return _broken(f'{provider} was silent for too long ({what}).')
        if isinstance(cause, (httpx.ConnectError, ConnectionError)):
            return _broken(f'{provider} cannot be reached: {detail(cause)}')
        if isinstance(cause, httpx.TransportError):
            return _broken(f'{provider} broke off its answer: {detail(cause)}')
    return ModelError(
        f'What {provider} sent cannot be read: {_why_unreadable(error, detail)}',
        out_of_order=True,
        hint=UNREADABLE,
    )


def _why_unreadable(error: Exception, detail: Callable[[BaseException], str]) -> str:
    if isinstance(error, RecursionError):
        return 'it is nested too deeply'
    if isinstance(error, UnicodeError):
        return 'it is no text in UTF-8'
    if isinstance(error, _MISSES_A_PART) or str(error).startswith(_NO_CHUNKS):
        return 'it holds no message of a model (no choices, or an empty one)'
    return f'{type(error).__name__}: {detail(error)}'


def _is_too_long(error: BaseException, status: object) -> bool:
    """Whether a server refuses for the length; in a stream its error has no status of its own."""
    is_candidate = status in _MAY_BE_TOO_LONG or _is_within_a_stream(error, status)
    return status == _TOO_LARGE or (is_candidate and _TOO_LONG.search(str(error)) is not None)


def _is_within_a_stream(error: BaseException, status: object) -> bool:
    """Whether a server reports an error after it has begun to answer."""
    return getattr(error, 'body', None) is not None and (status is None or status == 200)


def _broken(sentence: str) -> ModelError:
    return ModelError(sentence, out_of_order=True)


def _of_status(status: int, provider: str, detail: str, wait_s: float) -> ModelError:
    if status in (401, 403):
        return ModelError(
            f'{provider} refuses the key (HTTP {status}); check it: {detail}', again=False
        )
    if status == 404:
        return ModelError(
            f'{provider} does not know the model or the address (HTTP 404); check '
            f'the configured model and base_url: {detail}',
            again=False,
        )
    if status == 503 and _LOADING in detail:
        sentence = f'{provider} is loading its model (HTTP {status})'
        return ModelError(sentence, wait_s=max(wait_s, LOADING_WAIT_S))  # no fault of the server
    if status in WORTH_ANOTHER_TRY:
        what = 'is overloaded' if status in (429, 503, 529) else 'failed'
        sentence = f'{provider} {what} (HTTP {status}): {detail}'
        return ModelError(sentence, out_of_order=True, wait_s=wait_s)
    return ModelError(
        f'{provider} refuses the request (HTTP {status}): {detail}',
        again=False,
        refused=status in _REFUSED,
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_CHAIN):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
