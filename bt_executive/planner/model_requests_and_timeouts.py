"""Asks a model until it returns a whole usable message, or a timeout; publishes its chunks.

tenacity retries and waits within limits; the circuit breaker keeps the provider's health; the
client does one request. This module has their order, and ends each fault either in a retry or in
a `RunFailed` with the true reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
import time
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableBinding
from tenacity import Retrying

from bt_executive.core.executive_ports import StreamChunk, ToolOffer
from bt_executive.planner.assembly_of_streamed_tool_calls import (
    assemble_message,
    with_unparsed_calls,
)
from bt_executive.planner.constrained_answer import constrained_messages, read_constrained
from bt_executive.planner.context_window import (
    LATEST_STEPS,
    bounded,
    fit_history,
    room_for_request,
    size_of_steps,
    tokens_of,
    tokens_of_messages,
)
from bt_executive.planner.exchange_record import Recorder
from bt_executive.planner.model_message_reading import (
    calls_in,
    check_number_of_calls,
    is_half,
    validate_response,
)
from bt_executive.planner.planner_run import Run, RunCancelled, RunFailed
from bt_executive.planner.prompt_toolset_and_result_text import (
    barred_line,
    compact_json,
    toolset_text,
)
from bt_executive.planner.tool_calls_or_schema import ProposalForm
from rover_common.config.settings import PlannerSettings
from rover_common.llm.bounded_http import Transport
from rover_common.llm.model_errors import ModelError, model_error_of
from rover_common.llm.model_message_text import reasoning_of, text_of
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter
from rover_common.llm.retry_and_circuit_breaker import CircuitBreaker, make_retrying
from rover_common.text_sanitizing import sanitize

LONGEST_CHUNK = 2000  # characters; a longer one is cut


def chunks_in(chunk: BaseMessage) -> Iterator[StreamChunk]:
    """Yield the reasoning, text and tool calls of a message chunk, or of a whole message."""
    if reasoning := reasoning_of(chunk):
        yield StreamChunk('reasoning', sanitize(reasoning, LONGEST_CHUNK))
    if text := text_of(chunk):
        yield StreamChunk('text', sanitize(text, LONGEST_CHUNK))
    for call in _call_texts(chunk):
        yield StreamChunk('call', sanitize(call, LONGEST_CHUNK))


def _call_texts(chunk: BaseMessage) -> list[str]:
    if isinstance(chunk, AIMessageChunk):
        texts = [f'{call["name"] or ""}{call["args"] or ""}' for call in chunk.tool_call_chunks]
        return [text for text in texts if text]
    calls = chunk.tool_calls if isinstance(chunk, AIMessage) else []
    return [f'{call["name"]}{compact_json(call["args"])}' for call in calls]


END = StreamChunk('end')  # of a message, whole or not
DOCTOR_HINT = '; `bt-executive doctor --provider` asks the provider a small question'
TIMEOUT_MARGIN_S = 1.0  # before planner.timeout_s, so that the true reason is reported


class Conversation:
    """The conversation of one run with the model, in the worker thread.

    Args:
        toolset: The tools that the model may call.
        form: How the model proposes; adapts to its messages.
        recorder: Records the exchanges; None: they are not recorded.
    """

    def __init__(
        self,
        run: Run,
        client: ModelClient,
        meter: Meter,
        settings: PlannerSettings,
        toolset: Sequence[ToolOffer],
        form: ProposalForm,
        recorder: Recorder | None = None,
    ) -> None:
        self._run = run
        self._client = client
        self._meter = meter
        self._settings = settings
        self._toolset = toolset
        self._offered = [each.name for each in toolset]
        self._form = form
        self._recorder = recorder
        self._limit = settings.max_history_chars
        self._latest_steps = LATEST_STEPS
        self._messages: list[BaseMessage] = []
        self._has_shortened = False  # for this question
        self._has_tried = False  # the schema, for this goal
        self._hint = ''
        self._deadline = 0.0  # steady seconds; of this question

    def ask(self, model: Model, prompt: PromptValue) -> AIMessage:
        """Return one message of the model.

        Raises:
            RunCancelled: The goal was cancelled.
            RunFailed: There is no usable message; the text says why.
        """
        messages = _with_hint(prompt.to_messages(), barred_line(self._run.barred))
        self._messages = fit_history(
            messages, self._fits_the_window, self._limit, self._latest_steps
        )
        self._has_shortened, self._hint = False, ''
        self._deadline = time.monotonic() + self._settings.timeout_s - TIMEOUT_MARGIN_S
        retrying = make_retrying(
            self._settings.retry, self._deadline, self._run.pause, self._before_retry
        )
        try:
            return retrying(self._try, model)
        except ModelError as fault:
            raise RunFailed(
                self._client.source.hide(self._final_reason(fault, retrying))
            ) from None

    def _try(self, model: Model) -> AIMessage:
        self._run.check()
        if self._meter.is_used_up:
            raise RunFailed(f'The goal used up its {self._settings.max_goal_tokens} tokens.')
        request = _with_hint(self._messages, self._hint)
        try:
            message = self._message(model, request, self._form.is_constrained)
        except ModelError as fault:
            if fault.too_long:
                fault.again = self._shorten()
            elif self._form.change_after(fault):
                fault.again = fault.at_once = True
            raise
        if self._wants_trial(message):
            message = self._try_schema(model, request, message)
        self._form.update(message, self._offered)
        return message

    def _message(
        self, model: Model, request: list[BaseMessage], constrained: bool, trial: bool = False
    ) -> AIMessage:
        """Return one message: a call, an answer or a refusal; on trial only a call is recorded."""
        deadline = min(time.monotonic() + self._settings.request.whole_s, self._deadline)
        sent, offered = request, self._offered_now()
        if constrained:
            model = self._form.constrained(offered)
            sent = constrained_messages(request, self._toolset)  # a local server caches it
        else:
            model = bound_to(model, {each.name for each in offered})
        try:
            message = self._client.ask(model, sent, deadline, publish=not constrained)
        finally:
            self._meter.count(sent, self._client.received)
        reports_endings, streamed = self._client.source.is_served, self._client.streaming
        if constrained and not is_half(message, reports_endings, streamed):
            message = read_constrained(message)
        if calls_in(message) if trial else not self._wants_trial(message):
            self._record(request, message)
            if constrained:
                self._client.publish(message)
        validate_response(message, self._offered, reports_endings, streamed)
        return message

    def _offered_now(self) -> list[ToolOffer]:
        """Return the tools that no guard refuses now."""
        barred = dict(self._run.barred)
        return [each for each in self._toolset if each.name not in barred] or list(self._toolset)

    def _wants_trial(self, message: AIMessage) -> bool:
        return not self._has_tried and self._form.wants_trial(message)

    def _try_schema(
        self, model: Model, request: list[BaseMessage], message: AIMessage
    ) -> AIMessage:
        """Repeat a request with the schema: text of a model without tool calls may mean a call."""
        self._has_tried = True
        try:
            constrained = self._message(model, request, constrained=True, trial=True)
        except ModelError as fault:
            self._form.end_trial(None if fault.unusable or fault.refused else message)
        else:
            self._form.end_trial(constrained)
            if calls_in(constrained):
                return constrained
        self._record(request, message)
        return message

    def _fits_the_window(self, messages: Sequence[BaseMessage]) -> bool:
        window = self._client.source.info.window
        if window is None:
            return True
        room = room_for_request(window, self._settings.max_answer_tokens)
        if self._form.is_constrained:
            return tokens_of_messages(constrained_messages(messages, self._toolset)) <= room
        return tokens_of_messages(messages) + tokens_of(toolset_text(self._offered_now())) <= room

    def _shorten(self) -> bool:
        """Halve the steps of the conversation, once for each question; return whether it could."""
        half = size_of_steps(self._messages) // 2
        shorter = bounded(self._messages, half, latest=1)
        if self._has_shortened or size_of_steps(shorter) >= size_of_steps(self._messages):
            return False
        self._limit, self._latest_steps = half, 1
        self._messages, self._has_shortened = shorter, True
        return True

    def _record(self, request: list[BaseMessage], response: AIMessage) -> None:
        """Record the exchange; a fault of the record does not end the goal."""
        if self._recorder is None:
            return
        try:
            self._recorder.write(request, response)
        except OSError as error:
            self._recorder = None
            self._run.events.notice(
                f'planner.record cannot be written ({error.strerror}); it has no more of this '
                'goal.',
                ok=False,
            )

    def _before_retry(self, fault: ModelError, wait_s: float) -> None:
        self._hint = fault.hint
        if fault.ask_whole:
            self._client.streaming = False  # could not be assembled
        wait = f' Next try in {wait_s:.0f} s.' if wait_s >= 1 else ''
        self._run.events.notice(self._client.source.hide(f'{fault.sentence}{wait}'), ok=False)

    def _final_reason(self, fault: ModelError, retrying: Retrying) -> str:
        if fault.wait_s and time.monotonic() + fault.wait_s >= self._deadline:
            return f'{fault.sentence} It asks to wait {fault.wait_s:.0f} s, which is too long.'
        if fault.too_long:
            has_steps = size_of_steps(self._messages) > 0
            other = 'Raise the context of its server, shorten the goal'  # prompt and tools fill it
            remedy = 'Lower planner.max_history_chars' if has_steps else other
            return f'{fault.sentence} {remedy}, or choose another model.'
        times = retrying.statistics.get('attempt_number', 1)
        tried = f' (tried {times} times)' if times > 1 else ''
        return f'{fault.sentence}{tried}{DOCTOR_HINT if fault.out_of_order else ""}'


def _with_hint(messages: list[BaseMessage], hint: str) -> list[BaseMessage]:
    """Return messages with a hint in the system message, which every provider supports."""
    if not hint:
        return messages
    return [SystemMessage(f'{messages[0].content}\n{hint}'), *messages[1:]]


Model = Runnable[Any, Any]


def bound_to(model: Model, names: Collection[str]) -> Model:
    """Return a model with only these of its bound tools."""
    tools = model.kwargs.get('tools') if isinstance(model, RunnableBinding) else None
    if not tools:
        return model
    return model.bind(tools=[each for each in tools if _name_of(each) in names])


def _name_of(tool: dict[str, Any]) -> str:
    """Return the name of a tool in the format of OpenAI (also Ollama's) or of Anthropic."""
    return str(tool.get('function', tool)['name'])


class ModelClient:
    """Sends requests to the provider, in the worker thread of one run.

    Args:
        run: Receives the chunks of streamed messages.

    Attributes:
        streaming: Whether messages are streamed, so that the end of one may be missing.
        received: Of the latest answer: the message, or those of its chunks that came.
    """

    def __init__(
        self,
        run: Run,
        transport: Transport,
        circuit: CircuitBreaker,
        source: ModelSource,
        streaming: bool,
    ) -> None:
        self._run = run
        self._transport = transport
        self._circuit = circuit
        self.source = source
        self.streaming = streaming
        self._publishes = True
        self.received: list[BaseMessage] = []

    def ask(
        self, model: Model, messages: list[BaseMessage], deadline: float, publish: bool = True
    ) -> AIMessage:
        """Return one message.

        Args:
            model: With its tools.
            messages: The conversation.
            deadline: Steady time in s.
            publish: Whether its chunks are published as they arrive; not for JSON.

        Raises:
            ModelError: There is none; it says whether to retry.
            RunCancelled: The goal was cancelled.
        """
        self._transport.deadline = deadline
        self._publishes = publish
        self.received = []
        with self._circuit.call():
            return self._whole(model, messages)

    def publish(self, message: AIMessage) -> None:
        """Publish a message whose chunks were not published."""
        for each in (*chunks_in(message), END):
            self._run.events.put(each)

    def _whole(self, model: Model, messages: list[BaseMessage]) -> AIMessage:
        try:
            message = (self._stream if self.streaming else self._unstreamed)(model, messages)
        except Exception as error:
            self._run.check()
            name, wait_s = self.source.name, self._transport.retry_after_s
            raise model_error_of(error, name, self.source.hide, wait_s) from error
        finally:
            self._run.events.put(END)
        if not isinstance(message, AIMessage):
            raise ModelError(f'{self.source.name} answered with a {type(message).__name__}.')
        return message

    def _stream(self, model: Model, messages: list[BaseMessage]) -> BaseMessage:
        chunks: list[AIMessageChunk] = []
        calls: set[int | None] = set()
        for chunk in model.stream(messages):
            self._receive(chunk)
            if not isinstance(chunk, AIMessageChunk):
                return chunk  # a model that does not stream
            chunks.append(chunk)
            calls.update(each['index'] for each in chunk.tool_call_chunks)
            check_number_of_calls(len(calls))  # langchain merges thousands, slowly
        if not chunks:
            raise ModelError(f'{self.source.name} sent an empty stream.', out_of_order=True)
        return assemble_message(chunks)

    def _unstreamed(self, model: Model, messages: list[BaseMessage]) -> BaseMessage:
        message: BaseMessage = model.invoke(messages)
        self._receive(message)
        return with_unparsed_calls(message) if isinstance(message, AIMessage) else message

    def _receive(self, message: BaseMessage) -> None:
        self.received.append(message)
        if self._run.is_cancelled:
            self._run.events.notice('A late answer of the model was dropped.')
            raise RunCancelled
        for chunk in chunks_in(message) if self._publishes else ():
            self._run.events.put(chunk)
