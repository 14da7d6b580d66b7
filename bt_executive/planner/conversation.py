"""Asks a model until a whole usable message has come, or patience is over.

Tries, waits and their limits are tenacity's; the provider's health is the circuit's; bytes and
seconds of one answer are the wire's. What is left is the order of things, and that whatever goes
wrong either ends in another try or in a `RunFailed` with the true reason.
"""

from __future__ import annotations

from collections.abc import Collection
import time
from typing import Any

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    SystemMessage,
)
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from bt_executive.planner.calls import whole_message
from bt_executive.planner.circuit import Circuit
from bt_executive.planner.history import bounded
from bt_executive.planner.meter import Meter
from bt_executive.planner.model_errors import ModelError, model_error_of
from bt_executive.planner.record import Recorder
from bt_executive.planner.run import Run, RunCancelled, RunFailed
from bt_executive.planner.source import ModelSource
from bt_executive.planner.stream_chunks import chunks_in, end_of_stream
from bt_executive.planner.transport import Transport
from bt_executive.planner.validate_response import validate_response
from rover_common.config.settings import PlannerSettings

Model = Runnable[Any, Any]
LAST_MOMENT_S = 1.0  # before planner.timeout_s is over, so that the true reason is told


class Conversation:
    """One run's talk with the model, in the worker thread."""

    def __init__(
        self,
        run: Run,
        wire: Transport,
        circuit: Circuit,
        source: ModelSource,
        settings: PlannerSettings,
        meter: Meter,
        offered: Collection[str],
        streaming: bool,
        recorder: Recorder | None = None,
    ) -> None:
        self._recorder = recorder
        self._run = run
        self._wire = wire
        self._circuit = circuit
        self._source = source
        self._settings = settings
        self._meter = meter
        self._offered = offered
        self._streaming = streaming
        self._hint = ''
        self._ends_at = 0.0  # steady seconds; patience with this question

    def ask(self, model: Model, prompt: PromptValue) -> AIMessage:
        """One message of the model.

        Raises:
            RunCancelled: The goal was given up.
            RunFailed: No usable message can be had; the text says why.
        """
        retry = self._settings.retry
        messages = bounded(prompt.to_messages(), self._settings.max_history_chars)
        self._hint = ''
        self._ends_at = time.monotonic() + self._settings.timeout_s - LAST_MOMENT_S
        tries = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, ModelError) and error.again),
            stop=lambda state: stop_after_attempt(retry.attempts)(state) or self._too_late(state),
            wait=self._wait,
            sleep=self._run.pause,
            before_sleep=self._before_another_try,
            reraise=True,
        )
        try:
            return tries(self._try, model, messages)
        except ModelError as fault:
            raise RunFailed(self._source.hide(self._in_the_end(fault, tries))) from None

    def _try(self, model: Model, messages: list[BaseMessage]) -> AIMessage:
        self._run.check()
        if self._meter.is_used_up:
            raise RunFailed(f'The goal used up its {self._settings.max_goal_tokens} tokens.')
        self._wire.deadline = min(time.monotonic() + self._settings.request.whole_s, self._ends_at)
        asked = _with_hint(messages, self._hint)
        with self._circuit.call():
            message = self._whole(model, asked)
        self._meter.count(asked, message)
        self._keep(asked, message)
        validate_response(message, self._offered, self._source.tells_end and self._streaming)
        return message

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

    def _whole(self, model: Model, messages: list[BaseMessage]) -> AIMessage:
        try:
            message = (self._stream if self._streaming else self._at_once)(model, messages)
        except Exception as error:
            self._run.check()
            raise model_error_of(error, self._source.name, self._wire.retry_after_s) from error
        finally:
            self._run.news.put(end_of_stream())
        if not isinstance(message, AIMessage):
            raise ModelError(f'{self._source.name} answered with a {type(message).__name__}.')
        return message

    def _stream(self, model: Model, messages: list[BaseMessage]) -> BaseMessage:
        chunks: list[AIMessageChunk] = []
        for chunk in model.stream(messages):
            self._hear(chunk)
            if not isinstance(chunk, AIMessageChunk):
                return chunk  # a model that does not stream says all at once
            chunks.append(chunk)
        if not chunks:
            raise ModelError(f'{self._source.name} sent an empty stream.', out_of_order=True)
        return whole_message(chunks)

    def _at_once(self, model: Model, messages: list[BaseMessage]) -> BaseMessage:
        message: BaseMessage = model.invoke(messages)
        self._hear(message)
        return message

    def _hear(self, message: BaseMessage) -> None:
        if self._run.is_cancelled:
            self._run.news.notice('A late answer of the model was dropped.')
            raise RunCancelled
        for words in chunks_in(message):
            self._run.news.put(words)

    def _wait(self, state: RetryCallState) -> float:
        retry = self._settings.retry
        own = wait_random_exponential(
            multiplier=retry.first_wait_s, min=retry.first_wait_s / 2, max=retry.longest_wait_s
        )(state)
        fault = _fault(state)
        return 0.0 if fault.hint else max(own, fault.wait_s)

    def _too_late(self, state: RetryCallState) -> bool:
        return time.monotonic() + max(state.upcoming_sleep, _fault(state).wait_s) >= self._ends_at

    def _before_another_try(self, state: RetryCallState) -> None:
        fault = _fault(state)
        self._hint = fault.hint
        wait = f' Next try in {state.upcoming_sleep:.0f} s.' if state.upcoming_sleep >= 1 else ''
        self._run.news.notice(self._source.hide(f'{fault.sentence}{wait}'), ok=False)

    def _in_the_end(self, fault: ModelError, tries: Retrying) -> str:
        if fault.wait_s and time.monotonic() + fault.wait_s >= self._ends_at:
            return f'{fault.sentence} It asks to wait {fault.wait_s:.0f} s, which is too long.'
        times = tries.statistics.get('attempt_number', 1)
        return f'{fault.sentence} (tried {times} times)' if times > 1 else fault.sentence


def _fault(state: RetryCallState) -> ModelError:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, ModelError) else ModelError('')


def _with_hint(messages: list[BaseMessage], hint: str) -> list[BaseMessage]:
    """The hint goes to the system message: every provider takes it there, and it stays no goal."""
    if not hint:
        return messages
    return [SystemMessage(f'{messages[0].content}\n{hint}'), *messages[1:]]
