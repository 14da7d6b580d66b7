"""One request to the model: a whole message, or a `ModelError` with the true reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable, RunnableBinding

from bt_executive.core.executive_ports import StreamChunk
from bt_executive.planner.call_assembly import whole_message, with_raw_calls
from bt_executive.planner.planner_run import Run, RunCancelled
from bt_executive.planner.tool_result_text import compact_json
from rover_common.llm.circuit_breaker import Circuit
from rover_common.llm.message_text import reasoning_of, text_of
from rover_common.llm.model_errors import ModelError, model_error_of
from rover_common.llm.model_source import ModelSource
from rover_common.llm.sanitize import sanitize
from rover_common.llm.transport import Transport

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


Model = Runnable[Any, Any]


def bound_to(model: Model, names: Collection[str]) -> Model:
    """Return a model with no more tools than these of those that it was bound to."""
    tools = model.kwargs.get('tools') if isinstance(model, RunnableBinding) else None
    if not tools:
        return model
    return model.bind(tools=[each for each in tools if _name_of(each) in names])


def _name_of(tool: dict[str, Any]) -> str:
    """The name of a tool in the format of OpenAI (also Ollama's) or of Anthropic."""
    return str(tool.get('function', tool)['name'])


class ModelClient:
    """Asks the provider, in the worker thread of one run.

    Args:
        run: Hears the model while it speaks.
        streaming: Ask for the message piece by piece.
    """

    def __init__(
        self,
        run: Run,
        transport: Transport,
        circuit: Circuit,
        source: ModelSource,
        streaming: bool,
    ) -> None:
        self._run = run
        self._transport = transport
        self._circuit = circuit
        self.source = source
        self._streaming = streaming
        self._is_heard = True

    @property
    def is_streaming(self) -> bool:
        """Whether messages come piece by piece, so that one may be half of one."""
        return self._streaming

    def stop_streaming(self) -> None:
        """Asks for the run's further messages at once: its streams cannot be put together."""
        self._streaming = False

    def ask(
        self, model: Model, messages: list[BaseMessage], by: float, heard: bool = True
    ) -> AIMessage:
        """One message, whole at a steady time in s.

        `heard`: whether its pieces are published as they come; JSON is nothing to listen to.

        Raises:
            ModelError: There is none; it says whether another try is worthwhile.
            RunCancelled: The goal was given up.
        """
        self._transport.deadline = by
        self._is_heard = heard
        with self._circuit.call():
            return self._whole(model, messages)

    def publish(self, message: AIMessage) -> None:
        """Publishes a message of which no piece was heard."""
        for each in (*chunks_in(message), end_of_stream()):
            self._run.news.put(each)

    def _whole(self, model: Model, messages: list[BaseMessage]) -> AIMessage:
        try:
            message = (self._stream if self._streaming else self._at_once)(model, messages)
        except Exception as error:
            self._run.check()
            name, wait_s = self.source.name, self._transport.retry_after_s
            raise model_error_of(error, name, self.source.hide, wait_s) from error
        finally:
            self._run.news.put(end_of_stream())
        if not isinstance(message, AIMessage):
            raise ModelError(f'{self.source.name} answered with a {type(message).__name__}.')
        return message

    def _stream(self, model: Model, messages: list[BaseMessage]) -> BaseMessage:
        chunks: list[AIMessageChunk] = []
        for chunk in model.stream(messages):
            self._receive(chunk)
            if not isinstance(chunk, AIMessageChunk):
                return chunk  # a model that does not stream says all at once
            chunks.append(chunk)
        if not chunks:
            raise ModelError(f'{self.source.name} sent an empty stream.', out_of_order=True)
        return whole_message(chunks)

    def _at_once(self, model: Model, messages: list[BaseMessage]) -> BaseMessage:
        message: BaseMessage = model.invoke(messages)
        self._receive(message)
        return with_raw_calls(message) if isinstance(message, AIMessage) else message

    def _receive(self, message: BaseMessage) -> None:
        if self._run.is_cancelled:
            self._run.news.notice('A late answer of the model was dropped.')
            raise RunCancelled
        for words in chunks_in(message) if self._is_heard else ():
            self._run.news.put(words)
