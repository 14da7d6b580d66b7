"""What a model says while it speaks, in pieces for those who listen: reasoning, words, calls."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bt_executive.core.executive_ports import StreamChunk
from bt_executive.planner.tool_result_text import compact_json
from rover_common.llm.model_message_text import reasoning_of, text_of
from rover_common.llm.sanitize import sanitize

LONGEST_PIECE = 2000  # characters of one piece; a longer one is cut


def chunks_in(chunk: BaseMessage) -> Iterator[StreamChunk]:
    """The words of one chunk: reasoning, text and tool calls, as far as there are any.

    The chunk of a model that does not stream is its whole message.
    """
    if reasoning := reasoning_of(chunk):
        yield StreamChunk('reasoning', sanitize(reasoning, LONGEST_PIECE))
    if text := text_of(chunk):
        yield StreamChunk('text', sanitize(text, LONGEST_PIECE))
    for piece in _calls_in(chunk):
        yield StreamChunk('call', sanitize(piece, LONGEST_PIECE))


def _calls_in(chunk: BaseMessage) -> list[str]:
    if isinstance(chunk, AIMessageChunk):
        pieces = [f'{call["name"] or ""}{call["args"] or ""}' for call in chunk.tool_call_chunks]
        return [piece for piece in pieces if piece]
    calls = chunk.tool_calls if isinstance(chunk, AIMessage) else []
    return [f'{call["name"]}{compact_json(call["args"])}' for call in calls]


def end_of_stream() -> StreamChunk:
    """The message is whole, or nothing more comes of it."""
    return StreamChunk('end')
