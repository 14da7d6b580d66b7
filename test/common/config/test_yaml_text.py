"""How plain scalars are read, here and wherever the configuration is written again."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
import pytest
import yaml

from rover_common.config.load import load_config
from rover_common.config.settings import Section
from rover_common.config.yaml_text import read_yaml, type_below, write_yaml
from rover_common.errors import ConfigError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
# What a reader of YAML 1.1 and one of 1.2 may take for different things.
ODD = (
    '020',
    '08',
    '1e1',
    '1:30',
    '1_000',
    '0o17',
    'yes',
    'Off',
    'n',
    '2026-01-01',
    '+1',
    '.5',
    '~',
    '=',
)


class Model(Section):
    """Keys of several types."""

    name: str
    maybe: str | None = None
    word: Literal['A', '4']
    number: Annotated[float, Field(gt=0.0)]
    names: Annotated[tuple[str, ...], Field(strict=False)]
    units: dict[str, str]
    either: float | str


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('020', 20),
        ('-08', -8),
        ('+12', 12),
        ('0o17', 15),
        ('0x1F', 31),
        ('1e1', 10.0),
        ('1.5E-3', 0.0015),
        ('.5', 0.5),
        ('-.inf', float('-inf')),
        ('1:30', '1:30'),
        ('1_000', '1_000'),
        ('0b11', '0b11'),
        ('2026-01-01', '2026-01-01'),
        ('true', True),
        ('null', None),
        ('', None),
        *((word, word) for word in ('yes', 'No', 'on', 'OFF', 'y', 'n')),
    ],
)
def test_a_plain_scalar_is_what_yaml_1_2_says(text: str, value: object) -> None:
    found = read_yaml(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('name: 4.1', {'name': '4.1'}),
        ('name: 020', {'name': '020'}),
        ('name: true', {'name': 'true'}),
        ('name: null', {'name': None}),
        ('maybe: 1e1', {'maybe': '1e1'}),
        ('maybe: null', {'maybe': None}),
        ('word: 4', {'word': '4'}),
        ('number: 020', {'number': 20}),
        ('names: [1, 2.0, false]', {'names': ['1', '2.0', 'false']}),
        ('units: {1: 2}', {'units': {'1': '2'}}),
        ('either: 4', {'either': 4}),
        ('name: !!int 4', {'name': '4'}),
    ],
)
def test_where_a_text_is_wanted_a_number_is_taken_as_it_is_written(text: str, value: Any) -> None:
    assert read_yaml(text, Model) == value


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('9' * 5000, '5000 characters'),
        ('[' * 300, 'within each other'),
        ('- ' * 300, 'within each other'),
        ('&a [*a]', 'aliases'),
        (
            'a: &a [1]\n'
            + ''.join(f'{n}: &{n} [*{p}, *{p}]\n' for p, n in pairwise('abcdefghijklmnopqrst')),
            'aliases',
        ),
        ('!!int x', 'no number'),
        ('!!bool yes', 'neither true nor false'),
        ('!!python/object:os.system x', 'tag'),
        ('{[1]: 2}', 'key'),
        ('\ud800', 'Unicode|unicode'),
    ],
)
def test_what_cannot_be_read_is_an_error_of_yaml(text: str, words: str) -> None:
    with pytest.raises(yaml.YAMLError, match=words):
        read_yaml(text)


@given(VALUES)
@pytest.mark.slow
def test_what_is_written_is_read_again(value: Any) -> None:
    assert read_yaml(write_yaml(value)) == value


@pytest.mark.parametrize('text', ODD)
def test_an_odd_text_is_quoted_for_readers_of_either_version(text: str) -> None:
    written = write_yaml({'a': text, 'b': [text]})
    assert read_yaml(written) == yaml.safe_load(written) == {'a': text, 'b': [text]}


@pytest.mark.slow
@given(
    st.sampled_from(
        [
            'battery.low_pct',
            'planner.model',
            'keep_out',
            'rover.faults',
            'agent.verbose',
            'rover.world',
            'safety.required',
            'guards.policy',
        ]
    ),
    st.text(),
)
def test_any_text_after_set_is_taken_or_refused_in_one_sentence(key: str, text: str) -> None:
    with suppress(ConfigError):
        load_config(None, [f'{key}={text}'])


def test_the_type_of_a_key_is_found_by_its_path() -> None:
    assert type_below(Model, ['units', 'any']) is str
    assert type_below(Model, ['names']) == tuple[str, ...]
    assert type_below(Model, ['nothing', 'below']) is type(None)
