"""Files are replaced as a whole, and appended lines survive a kill or a full disk."""

from __future__ import annotations

from collections.abc import Iterable
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import pytest

from bt_executive.store.json_lines_file import JsonLinesFile
from bt_executive.store.run_file_lines_and_damage import read_lines
from bt_executive.store.run_folder_formats import TRACE
from rover_common.errors import RecordingError

HEADER = json.dumps({'schema': TRACE, 'version': '1.0', 'run_id': 'r.1', 'started_at': 'now'})


def write(
    path: Path, lines: Iterable[str], max_mb: float = 1.0, header: str = HEADER
) -> list[str]:
    told: list[str] = []
    file = JsonLinesFile(path, header, max_mb, told.append)
    for line in lines:
        file.write(line)
    file.close()
    return told


def entries(path: Path) -> list[dict[str, Any]]:
    return [entry for process in read_lines(path, TRACE).processes for entry in process.entries]


def test_each_process_continues_the_file_with_a_header_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / 'deep' / 'trace.jsonl'
    assert write(path, ['{"n": 1}']) == write(path, ['{"n": 2}']) == []
    lines = read_lines(path, TRACE)
    assert [process.entries for process in lines.processes] == [[{'n': 1}], [{'n': 2}]]
    assert lines.notes == []


def test_a_line_torn_by_a_kill_is_closed_by_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / 'trace.jsonl'
    write(path, ['{"n": 1}', '{"n": 2}'])
    path.write_bytes(path.read_bytes()[:-4])
    write(path, ['{"n": 3}'])
    assert entries(path) == [{'n': 1}, {'n': 3}]
    (note,) = read_lines(path, TRACE).notes
    assert 'line 3' in note


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(st.integers(), max_size=8), cut=st.integers(min_value=0, max_value=400))
@pytest.mark.slow
def test_wherever_a_file_is_torn_the_lines_before_are_read(
    tmp_path: Path, numbers: list[int], cut: int
) -> None:
    path = tmp_path / 'trace.jsonl'
    path.unlink(missing_ok=True)
    write(path, [json.dumps({'n': each}) for each in [*numbers, 0]])
    whole = path.read_bytes()
    path.write_bytes(whole[: max(len(HEADER) + 1, len(whole) - cut)])
    read = entries(path)
    assert read == [{'n': each} for each in [*numbers, 0]][: len(read)]
    lost = len(numbers) + 1 - len(read)
    assert lost == 0 or path.read_bytes().count(b'\n') == len(read) + 1
    torn = not path.read_bytes().endswith(b'\n')
    assert bool(read_lines(path, TRACE).notes) == torn


def test_a_full_file_is_ended_and_reported_once(tmp_path: Path) -> None:
    path = tmp_path / 'trace.jsonl'
    (told,) = write(path, ['{"n": "%s"}' % ('x' * 300)] * 9, max_mb=0.001)
    assert 'trace.jsonl has reached 0.001 MB' in told
    assert 'recording.max_file_mb' in told
    assert path.stat().st_size <= 1000


@pytest.mark.parametrize(('before', 'header'), [('x' * 999, HEADER), ('', 'h' * 1000)])
def test_a_file_without_room_for_a_header_is_ended_and_reported_once(
    tmp_path: Path, before: str, header: str
) -> None:
    path = tmp_path / 'trace.jsonl'
    path.write_text(before)
    (told,) = write(path, ['{}', '{}'], max_mb=0.001, header=header)
    assert 'has reached 0.001 MB' in told
    assert path.stat().st_size <= 1000


def test_a_full_disk_ends_the_file_and_is_reported_once() -> None:
    (told,) = write(Path('/dev/full'), ['{}', '{}'])
    assert 'No space left on device' in told
    assert 'the run continues' in told


def test_an_unwritable_folder_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    (told,) = write(tmp_path / 'file' / 'trace.jsonl', ['{}', '{}'])
    assert 'cannot be written' in told


@pytest.mark.parametrize(
    ('header', 'words'),
    [
        ('{"n": 1}', 'no header line'),
        (HEADER.replace('"1.0"', '"2.0"'), 'has version 2.0'),
        (HEADER.replace(TRACE, 'bt_executive.tree'), "holds 'bt_executive.tree'"),
        (HEADER.replace('run_id', 'id'), 'header line is damaged'),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(
    tmp_path: Path, header: Any, words: str
) -> None:
    path = tmp_path / 'trace.jsonl'
    write(path, ['{"n": 1}'], header=header)
    with pytest.raises(RecordingError, match=words):
        read_lines(path, TRACE)


def test_a_later_minor_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / 'trace.jsonl'
    write(path, ['{"n": 1, "new": 2}'], header=HEADER.replace('"1.0"', '"1.7"'))
    assert entries(path) == [{'n': 1, 'new': 2}]
