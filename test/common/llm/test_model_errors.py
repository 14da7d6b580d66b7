"""A provider's own words become a sentence: short, printable, and without the key."""

from __future__ import annotations

import json

import pytest

from rover_common.llm.model_errors import LOADING_WAIT_S, model_error_of
from rover_common.llm.model_source import ModelSource

PIECE = 6  # characters of a key of which nobody shall see more


class RefusedError(Exception):
    """What a client library raises for an answer that is no success."""

    def __init__(self, words: str, status_code: int) -> None:
        super().__init__(words)
        self.status_code = status_code


def sentence_of(words: str, key: str, status: int = 400) -> str:
    source = ModelSource('openai', lambda: pytest.fail('no model is needed'), key)
    return model_error_of(RefusedError(words, status), source.name, source.hide).sentence


def pieces(key: str) -> list[str]:
    return [key[at : at + PIECE] for at in range(len(key) - PIECE + 1)]


@pytest.mark.parametrize('status', [400, 401, 404, 500])
def test_a_key_at_the_end_of_what_is_kept_is_hidden_whole(status: int) -> None:
    key = 'sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEF'
    for before in range(200, 310):
        told = sentence_of(f'{"x" * before} {key} is wrong', key, status)
        assert not [each for each in pieces(key) if each in told], before


@pytest.mark.parametrize(
    'key', ['sk-SEC<RET>QQ', "sk-SEC'RET\\QQ", 'sk-SEC"RET\'QQ', 'sk-SEC&RET%QQ']
)
@pytest.mark.parametrize('written', [str, repr, json.dumps])
def test_a_key_of_any_characters_is_hidden_as_libraries_write_it(
    key: str, written: type[str]
) -> None:
    told = sentence_of(f'Error code: 400 - {written(key)} is wrong', key)
    assert 'SEC' not in told
    assert 'RET' not in told
    assert '(key)' in told


def test_a_letter_is_no_key_that_would_be_hidden() -> None:
    assert sentence_of('a model is away', 'a').endswith('a model is away')


@pytest.mark.parametrize('error', [ValueError('No generation chunks'), KeyError('choices')])
def test_the_words_of_a_library_about_its_own_code_are_not_told(error: Exception) -> None:
    told = model_error_of(error, 'openai', str).sentence
    assert told.endswith('it holds no message of a model (no choices, or an empty one)')


@pytest.mark.parametrize(
    ('words', 'wait_s', 'expected'),
    [
        ('Loading model', 0.0, LOADING_WAIT_S),
        ('Loading model', 60.0, 60.0),
        ('Slow down', 0.0, 0.0),
    ],
)
def test_a_server_that_loads_its_model_is_given_time(
    words: str, wait_s: float, expected: float
) -> None:
    fault = model_error_of(RefusedError(words, 503), 'llamacpp', str, wait_s)
    assert fault.again
    assert fault.wait_s == expected
    assert fault.out_of_order == (words != 'Loading model')  # the circuit counts the others
    assert ('is loading its model' in fault.sentence) == (words == 'Loading model')


@pytest.mark.parametrize(
    ('status', 'words'),
    [
        (500, 'image input is not supported - hint: you may need to provide the mmproj'),
        (400, "At most 0 image(s) may be provided: 'text-model' is not a multimodal model"),
        (400, 'Invalid content type. image_url is only supported by certain models.'),
        (400, 'messages[0]: unknown variant `image_url`, expected `text` at line 1 column 80'),
        (404, 'No endpoints found that support image input'),
        (500, 'this model is missing data required for image input'),
        (422, 'The selected model does not support images'),
    ],
)
def test_a_model_without_eyes_is_not_asked_again(status: int, words: str) -> None:
    fault = model_error_of(RefusedError(words, status), 'openai', str)
    assert fault.text_only
    assert not fault.again
    assert not fault.out_of_order  # the provider works: the circuit stays closed
    assert words in fault.sentence


@pytest.mark.parametrize(
    ('status', 'words'),
    [
        (500, 'scripted 500'),
        (503, 'image input is not supported'),
        (400, 'You uploaded an unsupported image. Please make sure your image is valid.'),
        (400, 'Could not process image: invalid image_url'),
        (400, 'context length exceeded by 3 images'),
    ],
)
def test_a_fault_of_a_picture_or_server_says_nothing_of_the_models_eyes(
    status: int, words: str
) -> None:
    assert not model_error_of(RefusedError(words, status), 'openai', str).text_only
