"""Chunks of a streamed message for the trace and the front ends: reasoning, text, calls."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from bt_executive.core.executive_ports import StreamChunk
from bt_executive.planner.tool_result_text import compact_json
from rover_common.llm.model_message_text import reasoning_of, text_of
from rover_common.text_sanitizing import sanitize

LONGEST_CHUNK = 2000  # characters; a longer one is cut


def chunks_in(chunk: BaseMessage) -> Iterator[StreamChunk]:
    """Yield the reasoning, text and tool calls of a message chunk, or of a whole message."""
    if reasoning := reasoning_of(chunk):
        yield StreamChunk('reasoning', sanitize(reasoning, LONGEST_CHUNK))
    if text := text_of(chunk):
        yield StreamChunk('text', sanitize(text, LONGEST_CHUNK))
    for call in _calls_in(chunk):
        yield StreamChunk('call', sanitize(call, LONGEST_CHUNK))


def _calls_in(chunk: BaseMessage) -> list[str]:
    if isinstance(chunk, AIMessageChunk):
        texts = [f'{call["name"] or ""}{call["args"] or ""}' for call in chunk.tool_call_chunks]
        return [text for text in texts if text]
    calls = chunk.tool_calls if isinstance(chunk, AIMessage) else []
    return [f'{call["name"]}{compact_json(call["args"])}' for call in calls]


def end_of_stream() -> StreamChunk:
    """Return the chunk that ends a message, whole or not."""
    return StreamChunk('end')
