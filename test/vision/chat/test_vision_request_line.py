"""The first line of an answer: understood in whichever form, never shown, and nothing is lost."""

from __future__ import annotations

import itertools

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from rover_vision.capture.connected_clients import Source
from rover_vision.chat.vision_request_line import (
    LONGEST,
    LONGEST_EXTRA,
    MARK,
    LookWanted,
    PreambleParser,
)

CAMERA = '{"source":"camera"}'
FORMS = [
    f'{MARK} {{}}\n',
    f'\n\n{MARK} {{}}\n',
    f'```\n{MARK} {{}}\n```\n',
    f'```json\n{MARK} {{}}\n```\n\n',
    f'**{MARK}** {{}}\n',
    f'`{MARK} {{}}`\n',
    'vision_request: {}\n',
    f'{MARK}{{}}\r\n',
    f'{MARK} {{}} ',
    f'\ufeff{MARK} {{}}\n',
    f'\u200b\n{MARK} {{}}\n',
    'VISION_REQUEST：{}\n',
    'ＶＩＳＩＯＮ＿ＲＥＱＵＥＳＴ： {}\n',
    '**VISION_REQUEST**: {}\n',
    'VISION\\_REQUEST: {}\n',
    'VISION\u200b_\ufeffREQUEST\u2060: {}\n',
    f'{MARK}\u200b{{}}\n',
    f'{MARK} \ufeff{{}}\n',
    f'{MARK}\n```json\n{{}}\n```\n',
    f'{MARK} ```json\n{{}}\n```\n\n',
]


def read(*chunks: str) -> tuple[str, PreambleParser]:
    parser = PreambleParser()
    shown = [parser.feed(chunk) for chunk in chunks]
    return ''.join([*shown, parser.end()]), parser


@pytest.mark.parametrize('form', FORMS)
@pytest.mark.parametrize('said', ['none', 'NONE', CAMERA])
def test_the_line_is_found_in_whichever_form(form: str, said: str) -> None:
    shown, parser = read(form.replace('{}', said) + 'There are rocks.\nMany.')
    assert shown == 'There are rocks.\nMany.'
    assert parser.wanted == (LookWanted(Source.CAMERA) if said == CAMERA else None)
    assert parser.fault == ''


def test_a_request_may_be_written_over_lines_and_say_what_to_look_for() -> None:
    shown, parser = read(
        f'{MARK} {{\n "source": "desktop",\n "extra_prompt": "the plot"\n}}\nYes.'
    )
    assert (shown, parser.wanted) == ('Yes.', LookWanted(Source.DESKTOP, 'the plot'))


@pytest.mark.parametrize(
    ('line', 'fault'),
    [
        ('{"source": "camera"', 'cannot be read'),
        ('{"source": "camera", }', 'cannot be read'),
        ('{source: camera}', 'cannot be read'),
        ('{"source": "navcam"}', "'navcam'"),
        ('{}', 'None'),
    ],
)
def test_a_request_that_cannot_be_used_is_a_fault_and_the_answer_is_shown(
    line: str, fault: str
) -> None:
    shown, parser = read(f'{MARK} {line}\nI see nothing.')
    assert (shown, parser.wanted) == ('I see nothing.', None)
    assert fault in parser.fault


FAULTY = [
    "{'source': 'desktop'}",
    '{"source": desktop}',
    '{“source”: “camera”}',
    '["camera"]',
    '[{"source": "camera"}]',
    'null',
    'true',
    '17',
    '"camera"',
    'camera',
    '{"source": null}',
    '{"source": ["camera"]}',
    '{"source": "camera", "extra_prompt": "a "b" c"}',
    '{"source": "camera", "extra_prompt": "' + 'x' * 10_000 + '"}',
    '{"extra_prompt": ' + '[' * 1200,
    '{"source": "cam\\u12"}',
    "```json\n{'source': 'desktop'}\n```",
    "{\n 'source': 'camera',\n}",
    '{\n "source": "camera",\n "extra_prompt": look\n}',
]


@pytest.mark.parametrize('size', [1, 5, 10_000])
@pytest.mark.parametrize('line', FAULTY)
def test_a_faulty_line_is_dropped_to_its_end_whatever_the_pieces(line: str, size: int) -> None:
    text = f'{MARK} {line}\nI see nothing.\nNot yet.'
    shown, parser = read(*(text[at : at + size] for at in range(0, len(text), size)))
    assert (shown, parser.wanted) == ('I see nothing.\nNot yet.', None)
    assert parser.fault.startswith('The model asked to look')


@pytest.mark.parametrize('size', [1, 5, 10_000])
@pytest.mark.slow
def test_much_to_look_for_is_still_a_request(size: int) -> None:
    text = f'{MARK} {{"source": "camera", "extra_prompt": "{"x" * 5000}"}}\nRocks.'
    shown, parser = read(*(text[at : at + size] for at in range(0, len(text), size)))
    assert (shown, parser.wanted) == ('Rocks.', LookWanted(Source.CAMERA, 'x' * LONGEST_EXTRA))


def test_words_in_place_of_a_request_are_the_answer() -> None:
    assert read(f'{MARK} It is dark.')[0] == 'It is dark.'


def test_none_is_known_at_the_end_of_its_line() -> None:
    parser = PreambleParser()
    assert parser.feed(f'{MARK} none') == ''
    assert parser.feed('\n') == ''
    assert parser.decided
    assert parser.feed('Hel') == 'Hel'
    assert parser.feed('lo') == 'lo'


def test_an_answer_without_the_line_waits_for_no_more_than_its_first_letters() -> None:
    parser = PreambleParser()
    assert parser.feed('VI') == ''
    assert parser.feed('Sion is a sense.') == 'VISion is a sense.'


def test_what_never_ends_is_not_held_for_ever() -> None:
    parser = PreambleParser()
    assert parser.feed(f'{MARK} ' + 'x' * LONGEST) != ''
    assert parser.feed('y') == 'y'


def test_the_line_is_shown_nowhere() -> None:
    shown, parser = read(f'Let me see.\n{MARK} {CAMERA}\nThere are rocks.')
    assert (shown, parser.wanted) == ('Let me see.\nThere are rocks.', None)


LATER = [
    '{\n  "source": "camera",\n  "extra_prompt": "x"\n}',
    "{'source':\n 'camera'}",
    '{"source": "camera"\n}',
    '[\n "camera"\n]',
    '{\n source: camera,\n}',
    '\n```json\n{"source": "camera"}\n```',
    '\n```\n{\n "source": "camera"\n}\n```',
]


@pytest.mark.parametrize('size', [1, 2, 5, 10_000])
@pytest.mark.parametrize('value', LATER)
def test_the_lines_of_its_object_are_shown_nowhere_either(value: str, size: int) -> None:
    text = f'Let me see.\n{MARK} {value}\nThere are rocks.\n"Many."'
    shown, parser = read(*(text[at : at + size] for at in range(0, len(text), size)))
    assert (shown, parser.wanted) == ('Let me see.\nThere are rocks.\n"Many."', None)


PIECES = st.sampled_from(
    [
        MARK,
        'none',
        CAMERA,
        '{"source":',
        '\n',
        '\r\n',
        '```',
        '```json\n',
        ' ',
        '*',
        'Rocks.',
        'VI',
        "{'source': 'desktop'}",
        '{"source": "camera", "extra_prompt": "',
        'null',
        '["camera"]',
        'VISION_REQUEST：',
        '\ufeff',
        '}',
        ',',
        '"source": 1',
        '\\u12',
        'x' * 700,
        ' ' * 1030,
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=12).map(''.join)


@given(TEXTS, st.lists(st.integers(0, 60)))
@example(f'```\n{MARK} none\n```\nx', [18, 19, 20, 21, 22, 23, 24])
@pytest.mark.slow
def test_it_is_the_same_wherever_the_stream_is_cut(text: str, cuts: list[int]) -> None:
    at = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    shown, parser = read(*(text[a:b] for a, b in itertools.pairwise(at)))
    whole, at_once = read(text)
    assert (shown, parser.wanted, parser.fault) == (whole, at_once.wanted, at_once.fault)


@given(TEXTS)
def test_it_is_never_shown(text: str) -> None:
    shown, _ = read(text)
    assert not any(line.startswith((MARK, 'VISION_REQUEST：')) for line in shown.split('\n'))


@given(TEXTS.filter(lambda text: 'VISION_REQUEST' not in text.upper()))
def test_an_answer_without_it_is_not_changed(text: str) -> None:
    assert read(text)[0] == text


@given(st.sampled_from(FORMS), st.sampled_from(['none', CAMERA]), st.text('abc .\n', min_size=1))
def test_the_answer_after_it_is_not_lost(form: str, said: str, answer: str) -> None:
    assert read(form.replace('{}', said) + answer)[0].strip('\n .') == answer.strip('\n .')
