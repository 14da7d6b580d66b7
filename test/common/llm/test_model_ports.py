"""The fakes keep the promises of their ports."""

from __future__ import annotations

from fakes.models import FakeChat, FakeEmbedder
import numpy as np
import pytest

from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import ChatModel, Embedder, Message

HELLO = [Message('user', 'Hello?')]


def test_a_fake_chat_says_what_it_was_given() -> None:
    chat: ChatModel = FakeChat(lambda messages, _pictures: f'you said {messages[-1].text}')
    assert list(chat.stream(HELLO)) == ['you', ' said', ' Hello?']
    assert chat.ask(HELLO) == 'you said Hello?'
    assert chat.use().calls == 2


def test_a_fake_chat_without_a_word_is_an_error() -> None:
    with pytest.raises(ModelError):
        FakeChat(lambda _messages, _pictures: ' ').ask(HELLO)


def test_a_fake_chat_is_cut_in_the_middle() -> None:
    chat = FakeChat(lambda _messages, _pictures: 'one two three')
    stream = chat.stream(HELLO)
    assert next(stream) == 'one'
    chat.cut()
    with pytest.raises(ModelError):
        next(stream)


def test_a_fake_embedder_knows_its_words() -> None:
    embedder: Embedder = FakeEmbedder(['rock', 'dune'])
    rows = embedder.embed(['A rock', 'rock and dune', 'sky'])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0, 0.0])
