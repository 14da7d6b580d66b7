"""A model that sees, over real HTTP in the protocol of each provider; and one that is dead."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
import io
from typing import Any

from fakes.vision import AnsweringClient
from model_protocols import Reply
from model_server import ModelServer, garbage, half_stream, hang_up, status
import numpy as np
from PIL import Image
import pytest

from rover_common.config.load import load_config
from rover_common.llm.model_ports import Message
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.chat.model_prompts_and_answers import MOST_BYTES, Answers, NoAnswerError, scaled
from rover_vision.episodes.episode_store import NewEpisode
from rover_vision.look_request_and_result import Picture
from rover_vision.looks_through_the_tree import LookAnswer, LookService
from rover_vision.seeing.vision_model_from_config import make_model

pytestmark = pytest.mark.slow

KEYS = {'OPENAI_API_KEY': 'sk-openai', 'ANTHROPIC_API_KEY': 'sk-anthropic'}
PROVIDERS = ('openai', 'anthropic', 'ollama')
EDGE = 256
REPLY = 'Two rocks, and a sign.'


def jpeg(width: int, height: int) -> Picture:
    file = io.BytesIO()
    Image.new('RGB', (width, height), (150, 90, 60)).save(file, 'JPEG')
    return Picture(file.getvalue(), 'jpeg', width, height)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer(mind=lambda _asked: Reply(REPLY))
    yield made
    made.close()


@pytest.fixture
def look(server: ModelServer) -> Iterator[Callable[..., tuple[LookAnswer, list[NewEpisode]]]]:
    """Looks once, with the model of a provider that is at the server."""
    workers = ThreadPoolExecutor(2)

    def once(
        provider: str, picture: Picture, *overrides: str
    ) -> tuple[LookAnswer, list[NewEpisode]]:
        config = load_config(
            overrides=[
                f'vision.model.provider={provider}',
                'vision.model.model=test-model',
                f'vision.model.base_url={server.base_url(provider)}',
                f'vision.model.max_edge={EDGE}',
                'planner.retry.attempts=1',
                *overrides,
            ]
        )
        model, _ = make_model(config, KEYS)
        assert model is not None
        kept: list[NewEpisode] = []

        def keep(episode: NewEpisode) -> int:
            kept.append(episode)
            return len(kept)

        async def play() -> LookAnswer:
            captures = Captures(60.0)
            AnsweringClient(captures, ROVER, Source.CAMERA, picture)
            answers = Answers(model, workers, config.vision.model.max_edge)
            service = LookService(captures, answers, keep, workers)
            return await service.look(Source.CAMERA, 'What is there?')

        return asyncio.run(play()), kept

    yield once
    workers.shutdown()


def pictures_in(value: Any) -> Iterator[Image.Image]:
    """The pictures in a request, wherever its protocol has them."""
    if isinstance(value, dict):
        for each in value.values():
            yield from pictures_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from pictures_in(each)
    elif isinstance(value, str) and len(value) > 200 and ' ' not in value:
        data = base64.b64decode(value.rpartition('base64,')[2], validate=True)
        yield Image.open(io.BytesIO(data))


@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_picture_is_scaled_sent_once_and_answered_once(
    server: ModelServer, look: Callable[..., Any], provider: str
) -> None:
    answer, kept = look(provider, jpeg(1280, 720))
    assert answer.fault is None
    assert answer.answer == REPLY
    (asked,) = server.bodies  # one request
    (sent,) = pictures_in(asked)  # one picture
    assert sent.size == (EDGE, EDGE * 720 // 1280)
    assert 'What is there?' in str(asked)
    assert [each.answer for each in kept] == [REPLY]
    assert (kept[0].picture.width, kept[0].picture.height) == (1280, 720)  # kept as it came


@pytest.mark.parametrize(
    ('provider', 'fault'),
    [
        ('openai', status(500)),
        ('anthropic', status(401)),
        ('ollama', hang_up),
        ('openai', garbage),
        ('anthropic', half_stream),
    ],
)
def test_a_dead_model_ends_in_words(
    server: ModelServer, look: Callable[..., Any], provider: str, fault: Any
) -> None:
    server.always = fault
    answer, kept = look(provider, jpeg(64, 48))
    assert answer.fault is None  # something was seen, and measured
    assert 'This was measured' in answer.answer
    assert 'no model' not in answer.answer  # there is one
    assert 'The model that sees could not be asked: ' in answer.answer
    assert 'Traceback' not in answer.answer
    assert 'sk-' not in answer.answer
    assert [each.answer for each in kept] == [answer.answer]


def test_a_model_that_nobody_serves_ends_in_words(look: Callable[..., Any]) -> None:
    answer, _ = look('openai', jpeg(64, 48), 'vision.model.base_url=http://127.0.0.1:9/v1')
    assert 'The model that sees could not be asked: ' in answer.answer


def test_a_picture_of_few_pixels_and_many_bytes_is_made_small_too() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (1300, 1300, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, 'PNG')
    picture = Picture(file.getvalue(), 'png', 1300, 1300)
    assert len(picture.data) > MOST_BYTES
    small = scaled(picture, 1568)
    assert (small.format, small.width) == ('jpeg', 1300)
    assert len(small.data) <= MOST_BYTES
    assert scaled(jpeg(100, 100), 1568) == jpeg(100, 100)


def takes_no_pictures(handler: Any, _protocol: Any, _reply: Any) -> None:
    """What llama.cpp answers without a projector."""
    words = 'image input is not supported - hint: you may need to provide the mmproj'
    handler.answer({'error': {'code': 500, 'message': words, 'type': 'server_error'}}, 500)


def test_a_model_that_takes_no_pictures_is_sent_one_once(server: ModelServer) -> None:
    server.always = takes_no_pictures
    config = load_config(
        overrides=[
            'vision.model.provider=openai',
            'vision.model.model=blind',
            f'vision.model.base_url={server.base_url("openai")}',
        ]
    )
    model, _ = make_model(config, KEYS)
    assert model is not None

    async def play() -> list[str]:
        captures = Captures(60.0)
        AnsweringClient(captures, ROVER, Source.CAMERA, jpeg(64, 48))
        with ThreadPoolExecutor(2) as workers:
            answers = Answers(model, workers, EDGE)
            service = LookService(captures, answers, lambda _: 1, workers)
            looks = [await service.look(Source.CAMERA, 'What is there?') for _ in range(3)]
            with pytest.raises(NoAnswerError, match=r'set vision\.model'):
                await answers.ask([Message('user', 'And now?')], [jpeg(64, 48)])
        return [each.answer for each in looks]

    first, *others = asyncio.run(play())
    assert 'The model reads text only' in first, first
    assert 'This was measured' in first
    for each in others:
        assert 'This was measured' in each
        assert 'reads text only' not in each
    assert len(server.bodies) == 1
