"""Asks a model until a whole usable message has come, or patience is over.

Tries, waits and their limits are tenacity's; the provider's health is the circuit's; one
request is the client's. What is left is the order of things, and that whatever goes
wrong either ends in another try or in a `RunFailed` with the true reason.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
import time
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableBinding
from tenacity import Retrying

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.call_assembly import whole_message, with_raw_calls
from bt_executive.planner.exchange_record import Recorder
from bt_executive.planner.goal_history import KEPT_WHOLE, bounded, fitted, size_of_steps
from bt_executive.planner.planner_run import Run, RunCancelled, RunFailed
from bt_executive.planner.schema_held_answer import constrained_messages, read_constrained
from bt_executive.planner.streamed_words import chunks_in, end_of_stream
from bt_executive.planner.token_estimate import room_for_request, tokens_of, tokens_of_messages
from bt_executive.planner.tool_calls_or_schema import ProposalForm, has_calls
from bt_executive.planner.toolset import barred_line, toolset_text
from bt_executive.planner.validate_response import (
    check_number_of_calls,
    is_half,
    validate_response,
)
from rover_common.config.settings import PlannerSettings
from rover_common.llm.bounded_http import Transport
from rover_common.llm.circuit_breaker import CircuitBreaker
from rover_common.llm.model_errors import ModelError, model_error_of
from rover_common.llm.model_retry import make_retrying
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter

DOCTOR = '; `bt-executive doctor --provider` asks the provider a small question'
LAST_MOMENT_S = 1.0  # before planner.timeout_s is over, so that the true reason is told


class Conversation:
    """One run's talk with the model, in the worker thread.

    Args:
        toolset: The tools that the model may call.
        form: How the model proposes; learns from what comes.
        recorder: Keeps the exchanges, if that is wanted.
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
        self._kept_whole = KEPT_WHOLE
        self._messages: list[BaseMessage] = []
        self._has_shortened = False  # for this question
        self._has_tried = False  # the schema, for this goal
        self._hint = ''
        self._ends_at = 0.0  # steady seconds; patience with this question

    def ask(self, model: Model, prompt: PromptValue) -> AIMessage:
        """One message of the model.

        Raises:
            RunCancelled: The goal was given up.
            RunFailed: No usable message can be had; the text says why.
        """
        said = self._with_barred(prompt.to_messages())
        self._messages = fitted(said, self._fits_the_window, self._limit, self._kept_whole)
        self._has_shortened, self._hint = False, ''
        self._ends_at = time.monotonic() + self._settings.timeout_s - LAST_MOMENT_S
        tries = make_retrying(
            self._settings.retry, self._ends_at, self._run.pause, self._before_another_try
        )
        try:
            return tries(self._try, model)
        except ModelError as fault:
            raise RunFailed(self._client.source.hide(self._in_the_end(fault, tries))) from None

    def _try(self, model: Model) -> AIMessage:
        self._run.check()
        if self._meter.is_used_up:
            raise RunFailed(f'The goal used up its {self._settings.max_goal_tokens} tokens.')
        asked = _with_hint(self._messages, self._hint)
        try:
            message = self._message(model, asked, self._form.is_constrained)
        except ModelError as fault:
            if fault.too_long:
                fault.again = self._shorten()
            elif self._form.change_after(fault):
                fault.again = fault.at_once = True
            raise
        if self._wants_trial(message):
            message = self._on_trial(model, asked, message)
        self._form.update(message, self._offered)
        return message

    def _message(
        self, model: Model, asked: list[BaseMessage], constrained: bool, trial: bool = False
    ) -> AIMessage:
        """One message that is a call, an answer or a refusal; on trial only a call counts."""
        by = min(time.monotonic() + self._settings.request.whole_s, self._ends_at)
        sent, offered = asked, self._offered_now()
        if constrained:
            model = self._form.hold(offered)
            sent = constrained_messages(asked, self._toolset)  # read once by a local server
        else:
            model = bound_to(model, {each.name for each in offered})
        message = self._client.ask(model, sent, by, heard=not constrained)
        self._meter.count(sent, message)
        reports_endings, streamed = self._client.source.reports_ending, self._client.is_streaming
        if constrained and not is_half(message, reports_endings, streamed):
            message = read_constrained(message)
        if has_calls(message) if trial else not self._wants_trial(message):
            self._keep(asked, message)
            if constrained:
                self._client.publish(message)
        validate_response(message, self._offered, reports_endings, streamed)
        return message

    def _offered_now(self) -> list[ToolOffer]:
        """Return the tools that no guard refuses now."""
        barred = dict(self._run.barred)
        return [each for each in self._toolset if each.name not in barred] or list(self._toolset)

    def _with_barred(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        return _with_hint(messages, barred_line(self._run.barred))

    def _wants_trial(self, message: AIMessage) -> bool:
        return not self._has_tried and self._form.wants_trial(message)

    def _on_trial(self, model: Model, asked: list[BaseMessage], said: AIMessage) -> AIMessage:
        """Asks the same with the schema: words of a model without tool calls may mean a call."""
        self._has_tried = True
        try:
            held = self._message(model, asked, constrained=True, trial=True)
        except ModelError as fault:
            self._form.end_trial(None if fault.unusable or fault.refused else said)
        else:
            self._form.end_trial(held)
            if has_calls(held):
                return held
        self._keep(asked, said)
        return said

    def _fits_the_window(self, messages: Sequence[BaseMessage]) -> bool:
        window = self._client.source.window
        if window is None:
            return True
        room = room_for_request(window, self._settings.max_answer_tokens)
        if self._form.is_constrained:
            return tokens_of_messages(constrained_messages(messages, self._toolset)) <= room
        return tokens_of_messages(messages) + tokens_of(toolset_text(self._offered_now())) <= room

    def _shorten(self) -> bool:
        """Halves the steps of the conversation, once for each question; False if it cannot."""
        half = size_of_steps(self._messages) // 2
        shorter = bounded(self._messages, half, kept_whole=1)
        if self._has_shortened or size_of_steps(shorter) >= size_of_steps(self._messages):
            return False
        self._limit, self._kept_whole = half, 1
        self._messages, self._has_shortened = shorter, True
        return True

    def _keep(self, asked: list[BaseMessage], said: AIMessage) -> None:
        """Records the exchange; a goal does not end because somebody cannot take notes."""
        if self._recorder is None:
            return
        try:
            self._recorder.keep(asked, said)
        except OSError as error:
            self._recorder = None
            self._run.news.notice(
                f'planner.record cannot be written ({error.strerror}); it has no more of this '
                'goal.',
                ok=False,
            )

    def _before_another_try(self, fault: ModelError, wait_s: float) -> None:
        self._hint = fault.hint
        if fault.ask_whole:
            self._client.stop_streaming()
        wait = f' Next try in {wait_s:.0f} s.' if wait_s >= 1 else ''
        self._run.news.notice(self._client.source.hide(f'{fault.sentence}{wait}'), ok=False)

    def _in_the_end(self, fault: ModelError, tries: Retrying) -> str:
        if fault.wait_s and time.monotonic() + fault.wait_s >= self._ends_at:
            return f'{fault.sentence} It asks to wait {fault.wait_s:.0f} s, which is too long.'
        if fault.too_long:
            has_steps = size_of_steps(self._messages) > 0
            alone = 'Raise the context of its server, shorten the goal'  # prompt and tools fill it
            remedy = 'Lower planner.max_history_chars' if has_steps else alone
            return f'{fault.sentence} {remedy}, or choose another model.'
        times = tries.statistics.get('attempt_number', 1)
        tried = f' (tried {times} times)' if times > 1 else ''
        return f'{fault.sentence}{tried}{DOCTOR if fault.out_of_order else ""}'


def _with_hint(messages: list[BaseMessage], hint: str) -> list[BaseMessage]:
    """The hint goes to the system message: every provider takes it there, and it stays no goal."""
    if not hint:
        return messages
    return [SystemMessage(f'{messages[0].content}\n{hint}'), *messages[1:]]


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
        circuit: CircuitBreaker,
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
        calls: set[int | None] = set()
        for chunk in model.stream(messages):
            self._receive(chunk)
            if not isinstance(chunk, AIMessageChunk):
                return chunk  # a model that does not stream says all at once
            chunks.append(chunk)
            calls.update(piece['index'] for piece in chunk.tool_call_chunks)
            check_number_of_calls(len(calls))  # of thousands a library makes one, slowly
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
