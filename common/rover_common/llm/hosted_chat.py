"""A chat model behind HTTP: any provider of the catalogue, through LangChain."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
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

from rover_common.config.settings import ModelSettings
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import ENDINGS, text_of
from rover_common.llm.model_ports import Message, Picture
from rover_common.llm.model_retry import call_with_retries
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter, ModelUse
from rover_common.llm.provider_request import Wire


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
            stream = context.run(self._source.model.stream, asked)
            while (chunk := context.run(next, stream, None)) is not None:
                whole.append(chunk)
                if piece := text_of(chunk):
                    yield piece
            self._end(asked, whole)

    def _end(self, asked: list[BaseMessage], whole: list[BaseMessageChunk]) -> None:
        """Counts the answer; half an answer is none."""
        if not whole:
            raise ModelError(f'{self.name} sent an empty stream.', out_of_order=True)
        answer: Any = whole[0] + whole[1:]
        self._meter.count(asked, AIMessage(answer.content, usage_metadata=answer.usage_metadata))
        if not any(answer.response_metadata.get(key) for key in ENDINGS):
            raise ModelError(f'The answer of {self.name} broke off.', out_of_order=True)
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
