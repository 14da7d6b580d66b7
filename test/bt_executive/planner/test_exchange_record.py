"""Records that cannot be played: one sentence names the setting, the file and what is wrong."""

from __future__ import annotations

from pathlib import Path
import resource

from langchain_core.messages import AIMessage, HumanMessage
import pytest

from bt_executive.planner.exchange_record import Recorder, load_record
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


def test_an_exchange_that_cannot_be_written_leaves_no_half_line(tmp_path: Path) -> None:
    path = tmp_path / 'record.jsonl'
    recorder, asked = Recorder(path), [HumanMessage('go')]
    recorder.write(asked, AIMessage('first'))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50, before[1]))
    try:
        with pytest.raises(OSError, match='File too large'):
            recorder.write(asked, AIMessage('x' * 300))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    recorder.write(asked, AIMessage('second'))
    said = [each['said']['data']['content'] for each in load_record(path).exchanges]
    assert said == ['first', 'second']


def test_a_record_that_is_not_there_is_told_how_to_make(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='record a run first'):
        load_record(tmp_path / 'none.jsonl')
