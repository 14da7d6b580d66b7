"""Chat and embedding models behind HTTP, and one request to a provider within its limits."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import Context, copy_context
from dataclasses import replace
import threading
import time
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    HumanMessage,
    SystemMessage,
)
from langsmith import tracing_context
import numpy as np
from numpy.typing import NDArray

from rover_common.config.settings import ModelSettings
from rover_common.llm.bounded_http import Transport
from rover_common.llm.model_errors import GivenUpError, ModelError, model_error_of
from rover_common.llm.model_message_text import ENDINGS, is_cut_off, is_refusal, text_of
from rover_common.llm.model_ports import Message, Picture
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import CHARACTERS_PER_TOKEN, Meter, ModelUse
from rover_common.llm.retry_and_circuit_breaker import CircuitBreaker, call_with_retries


class Wire:
    """The requests to one provider; several threads may each have one open at a time.

    Args:
        settings: Limits of a request, and when the provider is left alone.
        hide: Keeps the key out of a sentence.
    """

    def __init__(self, settings: ModelSettings, hide: Callable[[str], str]) -> None:
        self._settings, self._hide = settings, hide
        self._circuit = CircuitBreaker(
            settings.provider, settings.circuit, lambda _sentence, _ok: None
        )
        self._lock = threading.Lock()
        self._open: dict[Transport, threading.Event] = {}

    def cut(self) -> None:
        """End all open requests; later ones are not affected."""
        with self._lock:
            for transport, given_up in self._open.items():
                given_up.set()
                transport.cut()

    @contextmanager
    def request(self, given_up: threading.Event, by: float) -> Iterator[Context]:
        """A context (PEP 567) in which the provider's client is to be called.

        Raises:
            ModelError: Any fault, as a sentence without the key.
        """

        def check() -> None:
            if given_up.is_set():
                raise GivenUpError

        transport = Transport(self._settings.request, check)
        transport.deadline = by
        context, stack = copy_context(), ExitStack()
        with self._lock:
            self._open[transport] = given_up
        try:
            with self._circuit.call():
                check()
                context.run(stack.enter_context, transport.in_use())
                context.run(stack.enter_context, tracing_context(enabled=False))
                try:
                    yield context
                except Exception as error:
                    check()
                    name, wait_s = self._settings.provider, transport.retry_after_s
                    raise model_error_of(error, name, self._hide, wait_s) from error
        except ModelError as fault:
            raise replace(fault, sentence=self._hide(fault.sentence)) from None
        finally:
            with self._lock:
                self._open.pop(transport, None)
            context.run(stack.close)


class HostedChat:
    """Implements `rover_common.llm.model_ports.ChatModel`."""

    def __init__(self, source: ModelSource, settings: ModelSettings, budget_tokens: int) -> None:
        self._source, self._settings, self._budget = source, settings, budget_tokens
        self._meter = Meter(settings.price_per_million, budget_tokens)
        self._wire = Wire(settings, source.hide)
        self.name = f'{settings.provider}/{settings.model}'

    def stream(
        self, messages: Sequence[Message], pictures: Sequence[Picture] = ()
    ) -> Iterator[str]:
        by = time.monotonic() + min(self._settings.request.whole_s, self._settings.timeout_s)
        yield from self._pieces(messages, pictures, threading.Event(), by)

    def ask(self, messages: Sequence[Message], pictures: Sequence[Picture] = ()) -> str:
        given_up = threading.Event()
        return call_with_retries(
            lambda by: ''.join(self._pieces(messages, pictures, given_up, by)),
            self._settings,
            given_up,
        )

    def cut(self) -> None:
        self._wire.cut()

    def use(self) -> ModelUse:
        return self._meter.use

    def _pieces(
        self,
        messages: Sequence[Message],
        pictures: Sequence[Picture],
        given_up: threading.Event,
        by: float,
    ) -> Iterator[str]:
        if self._meter.is_used_up:
            sentence = f'The budget of {self._budget} tokens for {self.name} is used up.'
            raise ModelError(sentence, again=False)
        asked = as_langchain(messages, pictures)
        whole: list[BaseMessageChunk] = []
        with self._wire.request(given_up, by) as context:
            try:
                stream = context.run(self._source.model.stream, asked)
                while (chunk := context.run(next, stream, None)) is not None:
                    whole.append(chunk)
                    if piece := text_of(chunk):
                        yield piece
            finally:
                self._meter.count(asked, whole)
            self._check_end(whole)

    def _check_end(self, whole: list[BaseMessageChunk]) -> None:
        """Half an answer is none."""
        if not whole:
            raise ModelError(f'{self.name} sent an empty stream.', out_of_order=True)
        answer: Any = whole[0] + whole[1:]
        if not any(answer.response_metadata.get(key) for key in ENDINGS):
            raise ModelError(f'The answer of {self.name} broke off.', out_of_order=True)
        if is_cut_off(answer):
            raise ModelError(
                f'The answer of {self.name} was cut off at planner.max_answer_tokens, which '
                'counts reasoning, too.',
                again=False,
            )
        if is_refusal(answer):
            raise ModelError(f'{self.name}, or a filter of its provider, refused.', again=False)
        if not text_of(answer).strip():
            raise ModelError(f'{self.name} answered without a word.')


def as_langchain(messages: Sequence[Message], pictures: Sequence[Picture]) -> list[BaseMessage]:
    """The messages as LangChain has them, the pictures in the last one."""
    kinds = {'system': SystemMessage, 'user': HumanMessage, 'assistant': AIMessage}
    made: list[BaseMessage] = [kinds[each.role](each.text) for each in messages]
    if pictures:
        text = {'type': 'text', 'text': messages[-1].text}
        made[-1] = HumanMessage([text, *map(_picture, pictures)])
    return made


def _picture(picture: Picture) -> dict[str, Any]:
    data = b64encode(picture.data).decode('ascii')
    address = f'data:{picture.media_type};base64,{data}'
    return {'type': 'image_url', 'image_url': {'url': address}}


BATCH = 128  # texts of one request


class HostedEmbedder:
    """Implements `rover_common.llm.model_ports.Embedder`."""

    is_local = False

    def __init__(
        self, client: Any, settings: ModelSettings, wire: Wire, budget_tokens: int
    ) -> None:
        self._client, self._settings, self._wire = client, settings, wire
        self._budget, self.tokens = budget_tokens, 0  # tokens: estimated, of the request
        self.model = f'{settings.provider}/{settings.model}'

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
        rows = [row for batch in batches for row in self._rows(list(batch))]
        try:
            made = np.array(rows, np.float32)
        except (ValueError, TypeError, OverflowError):
            made = np.zeros(0, np.float32)
        if made.ndim != 2 or len(made) != len(texts) or not np.isfinite(made).all():
            raise ModelError(f'{self.model} sent vectors that do not fit the texts.', again=False)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return (made / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)

    def _rows(self, texts: list[str]) -> list[list[float]]:
        given_up = threading.Event()
        if self.tokens >= self._budget:
            sentence = f'The budget of {self._budget} tokens for {self.model} is used up.'
            raise ModelError(sentence, again=False)
        self.tokens += sum(map(len, texts)) // CHARACTERS_PER_TOKEN

        def once(by: float) -> list[list[float]]:
            with self._wire.request(given_up, by) as context:
                # Some servers refuse an empty text.
                rows: list[list[float]] = context.run(
                    self._client.embed_documents, [text or ' ' for text in texts]
                )
                return rows

        return call_with_retries(once, self._settings, given_up)
