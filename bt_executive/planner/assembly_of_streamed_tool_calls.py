"""Assembles a streamed message from its chunks: exactly as sent, or not at all.

langchain joins chunks by their index and drops or separates those without one; half a call would
run with the defaults of its tool. Here each chunk belongs to one call without doubt, or the whole
message is refused and requested again without streaming.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
import json
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bt_executive.planner.model_message_reading import Arguments, read_call_arguments
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import ENDINGS

RAW_CALLS = 'tool_calls'  # langchain's key of the unparsed calls of OpenAI's protocol
MOST_DUPLICATES = 100  # for each the arguments are parsed without it
_BLOCKS = ('tool_use', 'input_json_delta')  # Anthropic's chunks, in the content


@dataclass(frozen=True)
class _CallChunk:
    """A chunk of a call; '' and None: not given. `counts_blocks`: the index counts text, too."""

    index: int | None
    call_id: str
    name: str
    text: str
    counts_blocks: bool = False


@dataclass
class _Call:
    """A call as far as it is received."""

    first: _CallChunk
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return ''.join(self.texts)


def assemble_message(chunks: Sequence[AIMessageChunk]) -> AIMessage:
    """Return the message, with the arguments of its calls as the model wrote them.

    Raises:
        ModelError: The call of a chunk is not certain, or the message ended twice.
    """
    ending = _ending(chunks)
    calls = _assembled(each for chunk in chunks for each in _call_chunks(chunk))
    first, *others = map(_without_calls, chunks)
    whole = cast(AIMessageChunk, first + others)
    return _message(whole, whole.response_metadata | ending, [_as_text(each) for each in calls])


def with_unparsed_calls(message: AIMessage) -> AIMessage:
    """Return an unstreamed message with the arguments of its calls as text.

    langchain's parsed arguments lose a repeated name.
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
    """Return a message with one call and no text; the arguments are text."""
    called = _message(message, message.response_metadata, [_call(name, arguments, '')])
    return called.model_copy(update={'content': ''})


def _message(
    source: AIMessage, metadata: Mapping[str, Any], calls: list[dict[str, Any]]
) -> AIMessage:
    others = {name: each for name, each in source.additional_kwargs.items() if name != RAW_CALLS}
    return AIMessage(
        content=source.content,
        additional_kwargs=others,
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


def _call_chunks(chunk: AIMessageChunk) -> Iterator[_CallChunk]:
    """Yield the chunks of calls in a message chunk, in the format of any provider."""
    if isinstance(chunk.content, list):
        for block in chunk.content:
            if isinstance(block, dict) and block.get('type') in _BLOCKS:
                arguments = block.get('input')
                text = block.get('partial_json') or (json.dumps(arguments) if arguments else '')
                yield _call_chunk(
                    block.get('index'), block.get('id'), block.get('name'), text, True
                )
        return
    for call in chunk.tool_call_chunks:
        yield _call_chunk(call['index'], call['id'], call['name'], call['args'])


def _call_chunk(
    index: object, call_id: object, name: object, text: object, counts_blocks: bool = False
) -> _CallChunk:
    number = index if isinstance(index, int) and not isinstance(index, bool) else None
    if (index is not None and number is None) or not isinstance(text, (str, type(None))):
        raise _refusal('a piece of a call is numbered or written in a way that is unknown')
    return _CallChunk(number, str(call_id or ''), str(name or ''), text or '', counts_blocks)


def _assembled(chunks: Iterable[_CallChunk]) -> list[_Call]:
    calls: list[_Call] = []
    has_unnumbered = False  # a chunk without an index, which only fits a single call
    for chunk in chunks:
        call = _call_of(chunk, calls)
        if call is None:
            _check_first(chunk, calls)
            calls.append(_Call(chunk, [chunk.text]))
            continue
        has_unnumbered = has_unnumbered or chunk.index is None
        _check_labels(chunk, call)
        call.texts.append(chunk.text)
    if has_unnumbered and len(calls) > 1:
        raise _refusal('pieces without a number could belong to several calls')
    for call in calls:
        _check_duplicates(call)
    return calls


def _call_of(chunk: _CallChunk, calls: Sequence[_Call]) -> _Call | None:
    """Return the call that a chunk continues; None: it starts another one."""
    if chunk.index is None:
        return None if chunk.name or not calls else calls[-1]
    return next((each for each in calls if each.first.index == chunk.index), None)


def _check_first(chunk: _CallChunk, calls: Sequence[_Call]) -> None:
    """Refuse a call that starts without a name, or out of order: one before it is lost."""
    if not chunk.name:
        raise _refusal('a piece belongs to a call that has not begun')
    unnumbered = [each for each in calls if each.first.index is None]
    if chunk.index is None:
        if len(unnumbered) < len(calls):
            raise _refusal('some calls are numbered and some are not')
        return
    last = calls[-1].first.index if calls else None
    expected = chunk.index if chunk.counts_blocks else len(calls)
    if unnumbered or chunk.index != expected or (last is not None and chunk.index <= last):
        raise _refusal('the calls are not numbered one after the other')


def _check_labels(chunk: _CallChunk, call: _Call) -> None:
    """Refuse a continuation with the id or the name of another call."""
    first = call.first
    if (chunk.name and chunk.name != first.name) or (
        chunk.call_id and chunk.call_id != first.call_id
    ):
        raise _refusal('pieces of several calls have the same number')


def _check_duplicates(call: _Call) -> None:
    """Refuse arguments that would differ if a chunk came twice: chunks have no numbers.

    Two equal chunks in a row may be meant ("11", digit by digit), or be one that was duplicated.
    """
    texts = [each for each in call.texts if each]
    repeats = [False, *(pair[0] == pair[1] for pair in pairwise(texts))]
    # Of a run of equal chunks it does not matter which one is left out.
    duplicates = [at for at, pair in enumerate(pairwise(repeats)) if pair == (False, True)]
    if len(duplicates) > MOST_DUPLICATES:
        raise _refusal('very many of its pieces come twice')
    whole = read_call_arguments(call.text) if duplicates else Arguments(fault='is not checked')
    for at in duplicates if not whole.fault else ():
        once = read_call_arguments(''.join([*texts[:at], *texts[at + 1 :]]))
        if not once.fault and once != whole:
            raise _refusal('two like pieces follow each other, of which one may be a double')


def _ending(chunks: Sequence[AIMessageChunk]) -> dict[str, Any]:
    """Return why the message ended, which comes once; langchain would concatenate two."""
    found: dict[str, Any] = {}
    for chunk in chunks:
        if found and any(True for _ in _call_chunks(chunk)) and not _ending_fields(chunk):
            raise _refusal('pieces of a call came after the end of the message')
        for name, reason in _ending_fields(chunk).items():
            if found.setdefault(name, reason) != reason:
                raise _refusal(f'it ended twice, with {found[name]!s:.40} and {reason!s:.40}')
    return found


def _ending_fields(message: BaseMessage) -> dict[str, Any]:
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
