"""Records that cannot be played: one sentence names the setting, the file and what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.planner.exchange_record import load_record
from rover_common.errors import ConfigError


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('', 'is empty'),
        ('no json\n', 'not a record of exchanges'),
        ('[1]\n', 'not a record of exchanges'),
        ('{"goal": "go"}\n', "not a record of exchanges: 'said'"),
        ('{"goal": "go", "said": {"type": "song", "data": {}}}\n', 'not a record of exchanges'),
        ('[' * 100_000, 'not a record of exchanges'),
    ],
)
def test_what_is_no_record_is_refused_by_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / 'record.jsonl'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigError, match=words) as refused:
        load_record(path)
    assert f'planner.record is {str(path)!r}' in str(refused.value)


def test_a_record_that_is_not_there_is_told_how_to_make(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='record a run first'):
        load_record(tmp_path / 'none.jsonl')
