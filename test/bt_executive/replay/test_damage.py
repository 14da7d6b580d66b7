"""Folders that are damaged, cut, foreign or old: the file, the line and the reason."""

from __future__ import annotations

from collections.abc import Callable
import json
import os
from pathlib import Path
import re
import shutil
from typing import Any

import pytest
from recorded_run import RecordedRun, lines_of
from tree_bench import MakeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.replay.recorded_run import open_run
from bt_executive.report.run_zip import write_zip
from rover_common.errors import RecordingError

ADVICE = (  # what to do next, which each refusal says
    '`bt-executive report` shows what can still be read.',
    'name one such as runs/',
    'Runs are written to runs/',
    'Name another run.',
    'put a readable file there.',
    'Put an intact copy there.',
    'replay it with the version that run.json names.',
    'Runs from version 1.1 on can.',
)
AWAKE = {'event': 'clock.awake_since'}
BEGINS = {'event': 'store.begins'}  # what this run was resumed from, in its first tick


def rewrite(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    rows = path.read_text(encoding='utf-8').splitlines()
    path.write_text('\n'.join([*change(rows), '']), encoding='utf-8')


def old(folder: Path) -> None:
    rewrite(folder / 'inbox.jsonl', lambda rows: [rows[0].replace('"1.2"', '"1.0"'), *rows[1:]])


def too_large(folder: Path) -> None:
    with (folder / 'trace.jsonl').open('ab') as file:
        file.truncate(3_000_000_000)  # sparse


def torn(number: int) -> Callable[[Path], None]:
    def tear(folder: Path) -> None:
        rewrite(
            folder / 'inbox.jsonl',
            lambda rows: [*rows[: number - 1], rows[number - 1][:30], *rows[number:]],
        )

    return tear


def changed(
    words: str, fields: dict[str, Any], file: str = 'inbox.jsonl'
) -> Callable[[Path], None]:
    """The first line of a file with these words gets other fields."""

    def change(rows: list[str]) -> list[str]:
        number = next(n for n, row in enumerate(rows) if words in row)
        return [*rows[:number], json.dumps(json.loads(rows[number]) | fields), *rows[number + 1 :]]

    return lambda folder: rewrite(folder / file, change)


def with_field(words: str, *path: str) -> Callable[[Path], None]:
    """The first line with these words has a field that only a later version knows."""

    def change(rows: list[str]) -> list[str]:
        number = next(n for n, row in enumerate(rows) if words in row)
        line = json.loads(rows[number])
        part = line['fields']
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = 0.5
        return [*rows[:number], json.dumps(line), *rows[number + 1 :]]

    return lambda folder: rewrite(folder / 'inbox.jsonl', change)


@pytest.mark.parametrize(
    ('damage', 'words'),
    [
        (shutil.rmtree, 'is not a folder'),
        (lambda folder: (folder / 'inbox.jsonl').unlink(), 'it has no inbox.jsonl'),
        (lambda folder: (folder / 'trace.jsonl').unlink(), 'it has no trace.jsonl'),
        (
            lambda folder: (folder / 'trace.jsonl').write_text(''),
            'no event of its first tick. Name',
        ),
        (too_large, 'cannot be read (it has 3.0 GB, more than 2 GB): put a readable file there'),
        (lambda folder: shutil.rmtree(folder / 'config'), 'The configuration of the run'),
        (lambda folder: (folder / 'inbox.jsonl').write_text(''), 'holds no tick'),
        (lambda folder: (folder / 'inbox.jsonl').write_text('{"a": 1}\n'), 'no header line'),
        (lambda folder: (folder / 'inbox.jsonl').write_bytes(b'\xff\x00\n'), 'holds no tick'),
        (old, 'has version 1.0: the bt_executive that wrote it recorded'),
        (torn(7), 'cannot be replayed. `bt-executive report` shows what can still be read'),
        (changed('"StatusSeen"', {'ts': 'noon'}), "inbox.jsonl, line 2: 'ts'"),
        (changed('"GoalReceived"', {'fields': {}}), "GoalReceived: 'task': Field required"),
        (changed('planner.poll', {'fields': {'kind': 'Rumour'}}), "gives no 'Rumour'"),
        (changed('robot.ready', {'fields': {}}), 'the file is damaged'),
        (changed('"StatusSeen"', AWAKE | {'fields': {'since': 10**400}}), 'no whole JSON object'),
        (changed('"StatusSeen"', BEGINS | {'fields': {'run': 'nine'}}), 'line 2 and those'),
        (
            changed('"StatusSeen"', BEGINS | {'fields': {'saved': {'parts': 3}}}),
            'line 2 and those',
        ),
        (changed('"StatusSeen"', {'event': 'StatuSeen'}), 'line 2: this version of bt_executive'),
        (changed('"GoalReceived"', {'event': 'GoalWithdrawn'}), "knows no 'GoalWithdrawn'"),
        (with_field('"StatusSeen"', 'mood'), 'StatusSeen: this version of bt_executive knows no'),
        (with_field('"StatusSeen"', 'status', 'mood'), "knows no 'status.mood'"),
        (with_field('"GoalReceived"', 'task', 'mood'), "knows no 'task.mood'"),
        (with_field('planner.poll', 'mood'), "knows no 'mood'"),
        (changed('planner.poll', {'event': 'planner.pol'}), "knows no 'planner.pol'"),
        (changed('"StatusSeen"', {'mood': 0.5}), "knows no field 'mood'"),
        (changed('planner.poll', {'since': 0.5}), "knows no field 'since'"),
        (changed('"trace"', {'fields': {'latest': 'bench-000001'}}), 'First difference'),
    ],
)
@pytest.mark.slow
def test_an_unreplayable_run_is_reported(
    command: Any, copy: Path, damage: Callable[[Path], object], words: str
) -> None:
    damage(copy)
    code, out, err = command(copy)
    assert words in out + err
    assert code == (1 if 'difference' in words else 2)
    assert code == 1 or any(advice in err for advice in ADVICE), err


@pytest.mark.parametrize(
    ('damage', 'words'),
    [
        (changed('"schema"', {'approvals': 5}), "a header line: 'approvals'"),
        (changed('"schema"', {'version': f'1.{"9" * 5000}'}), 'the header line is damaged'),
        (changed('"StatusSeen"', {'event': 'recording.gap', 'fields': 'x'}), "line 2: 'fields'"),
        (changed('"DECIDE"', {'event_id': ['e']}, 'trace.jsonl'), "'event_id': Input should be"),
        (changed('"DECIDE"', {'data': [1]}, 'trace.jsonl'), "'data': Input should be"),
    ],
)
def test_a_value_of_another_type_is_named_with_its_line(
    copy: Path, damage: Callable[[Path], object], words: str
) -> None:
    damage(copy)
    with pytest.raises(RecordingError, match=re.escape(words)):
        open_run(copy)


def test_an_export_does_not_make_a_damaged_file_look_whole(command: Any, copy: Path) -> None:
    torn(7)(copy)
    before = (copy / 'inbox.jsonl').read_bytes()
    code, _, err = command(copy, '--export')
    assert (code, 'inbox.jsonl, line 7: no whole JSON object' in err) == (2, True)
    write_zip(copy, copy.with_suffix('.zip'))
    assert (copy / 'inbox.jsonl').read_bytes() == before
    assert command(copy)[0] == 2


@pytest.mark.parametrize(
    ('name', 'code'),
    [('tree.jsonl', 0), ('pictures.jsonl', 0), ('run.json', 0), ('config/extra.yaml', 2)],
)
@pytest.mark.slow
def test_a_pipe_in_place_of_a_file_does_not_block(
    command: Any, copy: Path, name: str, code: int
) -> None:
    (copy / name).unlink(missing_ok=True)
    os.mkfifo(copy / name)
    found, out, err = command(copy)
    assert found == code
    assert ('identical' in out) if code == 0 else ('put the file of the run there' in err)


def test_a_configuration_that_was_changed_is_not_taken_for_that_of_the_run(
    command: Any, copy: Path
) -> None:
    rewrite(
        copy / 'config' / 'executive.yaml',
        lambda rows: [row.replace('low_pct: 20.0', 'low_pct: 10.0') for row in rows],
    )
    code, _, err = command(copy)
    assert (code, 'is not what it ran with' in err) == (2, True)


@pytest.mark.parametrize('cut', range(2, 40, 3))
@pytest.mark.slow
def test_a_run_that_was_killed_is_replayed_up_to_its_end(
    command: Any, copy: Path, cut: int
) -> None:
    path = copy / 'inbox.jsonl'
    rows = path.read_text(encoding='utf-8').splitlines()
    path.write_text('\n'.join([*rows[:cut], rows[cut][:25]]), encoding='utf-8')
    code, out, _ = command(copy)
    assert code == 0, out
    assert 'the last line was torn' in out
    assert 'ends at tick' in out
    assert 'identical' in out


@pytest.mark.slow
@pytest.mark.parametrize('left', range(8, 23, 4))
def test_a_trace_that_ends_early_is_compared_up_to_there(
    command: Any, copy: Path, left: int
) -> None:
    rewrite(copy / 'trace.jsonl', lambda rows: rows[:left])
    code, out, _ = command(copy)
    assert code == 0, out
    assert 'ends at' in out


@pytest.mark.slow
@pytest.mark.parametrize('run_id', ['run.1', 'run.2'])
def test_two_processes_are_replayed_one_after_the_other(
    command: Any, copy: Path, bench: MakeBench, run_id: str
) -> None:
    it = bench(Answer('Back again.'))
    again = RecordedRun(copy, it, run_id=run_id)
    it.goal('again')
    again.until_ended()
    it.executive.shut_down()
    again.close()
    events = sum('kind' in line for line in lines_of(copy / 'trace.jsonl'))
    assert f'{events} events' in command(copy)[1]
    assert command(copy, '--process', '2')[0] == 0
    code, _, err = command(copy, '--process', '3')
    assert (code, 'the run has 2' in err) == (2, True)


@pytest.mark.slow
def test_a_process_with_another_configuration_is_not_replayed_with_that_of_the_next(
    command: Any, copy: Path, bench: MakeBench
) -> None:
    it = bench(Answer('Back again.'), overrides=['battery.low_pct=25'])
    again = RecordedRun(copy, it, run_id='run.2')
    it.goal('again')
    again.until_ended()
    again.close()
    code, _, err = command(copy)
    assert (code, 'Process 1 of the run cannot be replayed' in err) == (2, True)
    code, out, _ = command(copy, '--process', '2')
    assert (code, 'identical' in out) == (0, True)
