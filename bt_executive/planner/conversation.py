"""Asks a model until a whole usable message has come, or patience is over.

Tries, waits and their limits are tenacity's; the provider's health is the circuit's; one
request is the client's. What is left is the order of things, and that whatever goes
wrong either ends in another try or in a `RunFailed` with the true reason.
"""

from __future__ import annotations

from collections.abc import Collection
import time

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    SystemMessage,
)
from langchain_core.prompt_values import PromptValue
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from bt_executive.planner.history import KEPT_WHOLE, bounded, size_of_steps
from bt_executive.planner.model_client import Model, ModelClient
from bt_executive.planner.record import Recorder
from bt_executive.planner.run import Run, RunFailed
from bt_executive.planner.validate_response import validate_response
from rover_common.config.settings import PlannerSettings
from rover_common.llm.meter import Meter
from rover_common.llm.model_errors import ModelError

LAST_MOMENT_S = 1.0  # before planner.timeout_s is over, so that the true reason is told


class Conversation:
    """One run's talk with the model, in the worker thread.

    Args:
        offered: Names of the tools that the model may call.
        recorder: Keeps the exchanges, if that is wanted.
    """

    def __init__(
        self,
        run: Run,
        client: ModelClient,
        meter: Meter,
        settings: PlannerSettings,
        offered: Collection[str],
        recorder: Recorder | None = None,
    ) -> None:
        self._run = run
        self._client = client
        self._meter = meter
        self._settings = settings
        self._offered = offered
        self._recorder = recorder
        self._limit = settings.max_history_chars
        self._kept_whole = KEPT_WHOLE
        self._messages: list[BaseMessage] = []
        self._has_shortened = False  # for this question
        self._hint = ''
        self._ends_at = 0.0  # steady seconds; patience with this question

    def ask(self, model: Model, prompt: PromptValue) -> AIMessage:
        """One message of the model.

        Raises:
            RunCancelled: The goal was given up.
            RunFailed: No usable message can be had; the text says why.
        """
        retry = self._settings.retry
        self._messages = bounded(prompt.to_messages(), self._limit, self._kept_whole)
        self._has_shortened, self._hint = False, ''
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
            return tries(self._try, model)
        except ModelError as fault:
            raise RunFailed(self._client.source.hide(self._in_the_end(fault, tries))) from None

    def _try(self, model: Model) -> AIMessage:
        self._run.check()
        if self._meter.is_used_up:
            raise RunFailed(f'The goal used up its {self._settings.max_goal_tokens} tokens.')
        by = min(time.monotonic() + self._settings.request.whole_s, self._ends_at)
        asked = _with_hint(self._messages, self._hint)
        try:
            message = self._client.ask(model, asked, by)
        except ModelError as fault:
            if fault.too_long:
                fault.again = self._shorten()
            raise
        self._meter.count(asked, message)
        self._keep(asked, message)
        tells_ends = self._client.source.tells_end
        validate_response(message, self._offered, tells_ends, self._client.is_streaming)
        return message

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

    def _wait(self, state: RetryCallState) -> float:
        retry = self._settings.retry
        own = wait_random_exponential(
            multiplier=retry.first_wait_s, min=retry.first_wait_s / 2, max=retry.longest_wait_s
        )(state)
        fault = _fault(state)
        return 0.0 if fault.hint or fault.too_long else max(own, fault.wait_s)

    def _too_late(self, state: RetryCallState) -> bool:
        return time.monotonic() + max(state.upcoming_sleep, _fault(state).wait_s) >= self._ends_at

    def _before_another_try(self, state: RetryCallState) -> None:
        fault = _fault(state)
        self._hint = fault.hint
        if fault.ask_whole:
            self._client.stop_streaming()
        wait = f' Next try in {state.upcoming_sleep:.0f} s.' if state.upcoming_sleep >= 1 else ''
        self._run.news.notice(self._client.source.hide(f'{fault.sentence}{wait}'), ok=False)

    def _in_the_end(self, fault: ModelError, tries: Retrying) -> str:
        if fault.wait_s and time.monotonic() + fault.wait_s >= self._ends_at:
            return f'{fault.sentence} It asks to wait {fault.wait_s:.0f} s, which is too long.'
        if fault.too_long:
            return f'{fault.sentence} Lower planner.max_history_chars, or choose another model.'
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
