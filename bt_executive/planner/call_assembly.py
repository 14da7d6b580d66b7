"""Puts the pieces of a streamed message together: exactly as they were sent, or not at all.

langchain joins pieces by their index and drops or splits off what has none; half a call would
run with the defaults of its tool. Here each piece belongs to one call beyond doubt, or the whole
message is refused and asked for again without streaming, where there are no pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
import json
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bt_executive.planner.call_arguments import Arguments, read_call_arguments
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import ENDINGS

RAW_CALLS = 'tool_calls'  # where langchain keeps the calls of OpenAI's protocol as they came
MOST_DOUBLES = 100  # each is looked at by reading the arguments without it
_BLOCKS = ('tool_use', 'input_json_delta')  # Anthropic's pieces, which stand in the content


@dataclass(frozen=True)
class _Piece:
    """A piece of a call; '' and None: not given. `counts_blocks`: the index counts words, too."""

    index: int | None
    call_id: str
    name: str
    text: str
    counts_blocks: bool = False


@dataclass
class _Call:
    """A call as far as its pieces have come."""

    first: _Piece
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return ''.join(self.texts)


def whole_message(chunks: Sequence[AIMessageChunk]) -> AIMessage:
    """The message, with the arguments of its calls as the model wrote them.

    Raises:
        ModelError: A piece belongs to no call beyond doubt, or the message ended twice.
    """
    ending = _ending(chunks)
    calls = _assembled(piece for chunk in chunks for piece in _pieces_in(chunk))
    first, *others = map(_without_calls, chunks)
    whole = cast(AIMessageChunk, first + others)
    return _message(whole, whole.response_metadata | ending, [_as_text(each) for each in calls])


def with_raw_calls(message: AIMessage) -> AIMessage:
    """A message that came whole, with the arguments as text where the provider sent text.

    What langchain has read of them has lost a name that stood twice.
    """
    raw = message.additional_kwargs.get(RAW_CALLS)
    if not isinstance(raw, list) or not raw:
        return message
    functions = [(each, each.get('function') or {}) for each in raw if isinstance(each, dict)]
    calls = [
        _call(
            str(function.get('name') or ''), function.get('arguments'), str(each.get('id') or '')
        )
        for each, function in functions
    ]
    return _message(message, message.response_metadata, calls)


def with_call(message: AIMessage, name: str, arguments: str) -> AIMessage:
    """Return a message without words, with one call in it; its arguments are text."""
    made = _message(message, message.response_metadata, [_call(name, arguments, '')])
    return made.model_copy(update={'content': ''})


def _message(
    source: AIMessage, metadata: Mapping[str, Any], calls: list[dict[str, Any]]
) -> AIMessage:
    kept = {name: each for name, each in source.additional_kwargs.items() if name != RAW_CALLS}
    return AIMessage(
        content=source.content,
        additional_kwargs=kept,
        response_metadata=dict(metadata),
        usage_metadata=source.usage_metadata,
        invalid_tool_calls=calls,
    )


def _as_text(call: _Call) -> dict[str, Any]:
    return _call(call.first.name, call.text, call.first.call_id)


def _call(name: str, arguments: Any, call_id: str) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) or arguments is None else json.dumps(arguments)
    return {
        'type': 'invalid_tool_call',
        'name': name,
        'args': text,
        'id': call_id,
        'error': None,
    }


def _pieces_in(chunk: AIMessageChunk) -> Iterator[_Piece]:
    """Every piece of a call in a chunk, whichever way the provider packs it."""
    if isinstance(chunk.content, list):
        for block in chunk.content:
            if isinstance(block, dict) and block.get('type') in _BLOCKS:
                given = block.get('input')
                text = block.get('partial_json') or (json.dumps(given) if given else '')
                yield _piece(block.get('index'), block.get('id'), block.get('name'), text, True)
        return
    for call in chunk.tool_call_chunks:
        yield _piece(call['index'], call['id'], call['name'], call['args'])


def _piece(
    index: object, call_id: object, name: object, text: object, counts_blocks: bool = False
) -> _Piece:
    number = index if isinstance(index, int) and not isinstance(index, bool) else None
    if (index is not None and number is None) or not isinstance(text, (str, type(None))):
        raise _refusal('a piece of a call is numbered or written in a way that is unknown')
    return _Piece(number, str(call_id or ''), str(name or ''), text or '', counts_blocks)


def _assembled(pieces: Iterable[_Piece]) -> list[_Call]:
    calls: list[_Call] = []
    has_loose = False  # a piece went to the call before it, which must be the only one
    for piece in pieces:
        call = _call_of(piece, calls)
        if call is None:
            _check_begin(piece, calls)
            calls.append(_Call(piece, [piece.text]))
            continue
        has_loose = has_loose or piece.index is None
        _check_labels(piece, call)
        call.texts.append(piece.text)
    if has_loose and len(calls) > 1:
        raise _refusal('pieces without a number could belong to several calls')
    for call in calls:
        _check_doubling(call)
    return calls


def _call_of(piece: _Piece, calls: Sequence[_Call]) -> _Call | None:
    """The call that a piece goes on with; None: it begins another one."""
    if piece.index is None:
        return None if piece.name or not calls else calls[-1]
    return next((each for each in calls if each.first.index == piece.index), None)


def _check_begin(piece: _Piece, calls: Sequence[_Call]) -> None:
    """Refuses a call that begins without a name, or out of order: one before it is lost."""
    if not piece.name:
        raise _refusal('a piece belongs to a call that has not begun')
    unnumbered = [each for each in calls if each.first.index is None]
    if piece.index is None:
        if len(unnumbered) < len(calls):
            raise _refusal('some calls are numbered and some are not')
        return
    last = calls[-1].first.index if calls else None
    expected = piece.index if piece.counts_blocks else len(calls)
    if unnumbered or piece.index != expected or (last is not None and piece.index <= last):
        raise _refusal('the calls are not numbered one after the other')


def _check_labels(piece: _Piece, call: _Call) -> None:
    """Refuses a continuation that has the id or the name of another call."""
    first = call.first
    if (piece.name and piece.name != first.name) or (
        piece.call_id and piece.call_id != first.call_id
    ):
        raise _refusal('pieces of several calls have the same number')


def _check_doubling(call: _Call) -> None:
    """Refuses arguments that would be others if a piece came twice: nobody numbers the pieces.

    Two like pieces one after the other may be meant ("11", sign by sign) or one that was doubled.
    """
    texts = [each for each in call.texts if each]
    alike = [False, *(pair[0] == pair[1] for pair in pairwise(texts))]
    # Of a run of like pieces, whichever is left out, the same is left.
    doubles = [at for at, pair in enumerate(pairwise(alike)) if pair == (False, True)]
    if len(doubles) > MOST_DOUBLES:
        raise _refusal('very many of its pieces come twice')
    whole = read_call_arguments(call.text) if doubles else Arguments(fault='is not looked at')
    for at in doubles if not whole.fault else ():
        once = read_call_arguments(''.join([*texts[:at], *texts[at + 1 :]]))
        if not once.fault and once != whole:
            raise _refusal('two like pieces follow each other, of which one may be a double')


def _ending(chunks: Sequence[AIMessageChunk]) -> dict[str, Any]:
    """Why the message ended, which is told once; langchain would write two behind each other."""
    found: dict[str, Any] = {}
    for chunk in chunks:
        if found and any(True for _ in _pieces_in(chunk)) and not _told(chunk):
            raise _refusal('pieces of a call came after the end of the message')
        for name, told in _told(chunk).items():
            if found.setdefault(name, told) != told:
                raise _refusal(f'it ended twice, with {found[name]!s:.40} and {told!s:.40}')
    return found


def _told(message: BaseMessage) -> dict[str, Any]:
    metadata = message.response_metadata
    return {name: metadata[name] for name in ENDINGS if metadata.get(name)}


def _without_calls(chunk: AIMessageChunk) -> AIMessageChunk:
    content = chunk.content
    if isinstance(content, list):
        content = [
            each
            for each in content
            if not isinstance(each, dict) or each.get('type') not in _BLOCKS
        ]
    others = {name: each for name, each in chunk.additional_kwargs.items() if name != RAW_CALLS}
    return AIMessageChunk(
        content=content,
        additional_kwargs=others,
        response_metadata=chunk.response_metadata,
        usage_metadata=chunk.usage_metadata,
        id=chunk.id,
    )


def _refusal(why: str) -> ModelError:
    return ModelError(
        f'The stream of the model cannot be put together: {why}. Nothing of it is carried out.',
        ask_whole=True,
        hint=f'Your last message was not carried out: {why}. Send it again.',
    )
