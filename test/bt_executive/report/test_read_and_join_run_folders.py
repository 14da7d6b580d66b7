"""Run folders that are read, whole or damaged, and joined into one recording."""

from __future__ import annotations

from codecs import BOM_UTF8
import json
import os
from pathlib import Path
import shutil
from typing import Any

from killed_run import killed_run
import pytest
from tree_bench import MakeBench, Propose

from bt_executive.cli import main
from bt_executive.report import read_and_join_run_folders
from bt_executive.report.read_and_join_run_folders import Recording, join, read_recording
from bt_executive.report.report_html import make_page, write_report
from bt_executive.report.report_page_data import page_data
from bt_executive.store.inputs_from_journal_or_export import read_inputs
from bt_executive.store.run_file_lines_and_damage import Lines
from bt_executive.view.goals_of_a_run import NO_END, read_goals
from rover_common.errors import RecordingError

EMPTY = '{"schema":"bt_executive.trace","version":"1.0","run_id":"r","started_at":"t"}\n'


@pytest.fixture
def copy(recorded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(recorded, tmp_path / 'run')


def change(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding='utf-8').replace(old, new, 1), encoding='utf-8')


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda folder: shutil.rmtree(folder), 'is not a folder'),
        (lambda folder: (folder / 'trace.jsonl').unlink(), 'is not a run folder'),
        (lambda folder: (folder / 'trace.jsonl').write_text(''), 'holds no event'),
        (lambda folder: (folder / 'trace.jsonl').write_text(EMPTY), 'holds no event'),
        (lambda folder: change(folder / 'trace.jsonl', '"1.0"', '"2.0"'), 'has version 2.0'),
        (lambda folder: (folder / 'trace.jsonl').write_text('{"ts": 1}\n'), 'no header line'),
        (lambda folder: (folder / 'report.html').mkdir(), 'cannot be written'),
    ],
)
def test_what_is_no_run_is_refused_by_a_sentence_and_exit_code_2(
    copy: Any, capsys: pytest.CaptureFixture[str], make: Any, words: str
) -> None:
    (copy / 'report.html').unlink(missing_ok=True)
    make(copy)
    with pytest.raises(SystemExit) as ended:
        main(['report', str(copy)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert words in said
    assert 'Traceback' not in said


@pytest.mark.parametrize('name', ['tree.jsonl', 'inbox.jsonl', 'pictures.jsonl'])
@pytest.mark.parametrize(
    ('old', 'new', 'words'),
    [
        ('"version":"1.', '"version":"9.', 'has version 9.'),
        ('"run_id"', '"rum"', 'the header line is damaged'),
        ('{"schema"', '{"', 'has no header line'),
    ],
)
@pytest.mark.slow
def test_other_unreadable_files_are_noted_on_the_page(
    copy: Any, name: str, old: str, new: str, words: str
) -> None:
    change(copy / name, old, new)
    page = make_page(read_recording(copy))
    assert name in page
    assert words in page
    assert 'move_forward' in page


@pytest.mark.parametrize(
    'name', ['tree.jsonl', 'inbox.jsonl', 'run.json', 'config/extra.yaml', 'logs/extra.log']
)
@pytest.mark.slow
def test_a_pipe_in_place_of_a_file_does_not_block(copy: Any, name: str) -> None:
    path = copy / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert 'move_forward' in make_page(read_recording(copy))


@pytest.mark.slow
def test_of_the_state_only_what_a_page_shows_is_kept(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def paths(recording: Recording) -> set[str]:
        ticks = (tick for tree in recording.trees for tick in tree.ticks)
        return {path for tick in ticks for path in tick.state}

    short = read_recording(recorded)
    monkeypatch.setattr(read_and_join_run_folders, 'NOT_ON_PAGE', frozenset[str]())
    whole = read_recording(recorded)
    assert {'messages', 'trace.log', 'tasks.queue'} <= paths(whole)
    assert not {'messages', 'trace.log'} & paths(short)
    assert page_data(short) == page_data(whole)


def test_of_the_inputs_only_those_that_a_page_shows_are_kept(
    copy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: set[str] = set()

    def read(*given: Any) -> Lines:
        lines = read_inputs(*given)
        kept.update(entry['event'] for each in lines.processes for entry in each.entries)
        return lines

    monkeypatch.setattr(read_and_join_run_folders, 'read_inputs', read)
    recording = read_recording(copy)
    assert recording.poses
    assert recording.charges
    assert kept == {'PoseSeen', 'BatterySeen'}


def test_a_pipe_in_place_of_a_picture_does_not_block(copy: Any) -> None:
    picture = next((copy / 'pictures').iterdir())
    picture.unlink()
    os.mkfifo(picture)
    assert f'{picture.name} cannot be shown: OSError' in make_page(read_recording(copy))


@pytest.mark.slow
def test_a_torn_trace_is_noted_on_the_page(copy: Any) -> None:
    trace = copy / 'trace.jsonl'
    trace.write_bytes(trace.read_bytes()[:-20])
    assert 'the last line was torn' in make_page(read_recording(copy))


BROKEN = (
    'no json',
    '[1]',
    '{"ts": "late"}',
    '{"event_id": "e", "ts": 1.0, "kind": "SING", "message": ""}',
    '{"ts": 1.0, "mode": "EXEC", "status": {"99999": "S"}}',
    '{"ts": 1.0, "robot": 1, "steady": 1, "event": "PoseSeen", "fields": {"x": "far"}}',
    '{"ts": 1.0, "robot": 1, "steady": 1, "event": "PoseSeen", "fields": {}}',
    '{"ts": NaN, "robot": 1, "steady": 1, "event": "PoseSeen", "fields": {}}',
    '{"ts": 1, "robot": 1, "steady": 1, "event": "PoseSeen", "fields": {"x": NaN, "y": 1e999}}',
    '{"ts": 1.0, "robot": 1, "steady": 1, "event": "BatterySeen", "fields": {"percent": null}}',
    '{"stamp": 1.0, "ts": 100.5, "event_id": "e", "score": 0.5, "file": "../../secret.jpg"}',
    '{"ts": 1.0, "deep": ' + '[' * 100_000,
)


@pytest.mark.parametrize('name', ['trace', 'tree', 'inbox', 'pictures'])
@pytest.mark.slow
def test_broken_lines_cost_those_lines_only(copy: Any, name: str) -> None:
    before = read_recording(copy)
    with (copy / f'{name}.jsonl').open('a', encoding='utf-8') as file:
        file.write('\n'.join(BROKEN) + '\n')
    after = read_recording(copy)
    assert 'Bright sand' in make_page(after)
    assert after.notes != before.notes
    assert (after.processes, after.poses, after.charges) == (
        before.processes,
        before.poses,
        before.charges,
    )


@pytest.mark.parametrize(
    ('name', 'old', 'new'),
    [
        ('run.json', '"overrides": [', '"overrides": 3, "before": ['),
        ('trace.jsonl', '"steps":3', '"steps":3.5'),
        ('trace.jsonl', '"ts":', '"ts":1e18,"was":'),
        ('pictures.jsonl', '"file":"', r'"file":"\ud800'),
        ('trace.jsonl', '"arguments":{', '"arguments":{"x":1e308,"y":0'),
        ('trace.jsonl', '"arguments":{', f'"arguments":{{"x":1{"0" * 400},"y":0'),
    ],
)
@pytest.mark.slow
def test_odd_values_still_give_a_page(copy: Any, name: str, old: str, new: str) -> None:
    assert old in (copy / name).read_text(encoding='utf-8')
    change(copy / name, old, new)
    assert 'Bright sand.' in write_report([copy]).read_text(encoding='utf-8')


@pytest.mark.slow
def test_nested_brackets_in_the_metadata_are_noted_on_the_page(copy: Any) -> None:
    (copy / 'run.json').write_text('[' * 100_000 + ']' * 100_000)
    page = make_page(read_recording(copy))
    assert 'run.json is missing or broken.' in page
    assert 'move_forward' in page


@pytest.mark.parametrize('name', ['trace.jsonl', 'run.json'])
def test_a_file_that_an_editor_has_marked_as_utf_8_is_read(copy: Any, name: str) -> None:
    before = read_recording(copy)
    (copy / name).write_bytes(BOM_UTF8 + (copy / name).read_bytes())
    after = read_recording(copy)
    assert (after.processes, after.metadata, after.notes) == (
        before.processes,
        before.metadata,
        before.notes,
    )


@pytest.mark.parametrize('x', ['1e308', '1e16'])
@pytest.mark.slow
def test_a_pose_that_is_no_place_is_on_no_map(copy: Any, x: str) -> None:
    inbox = copy / 'inbox.jsonl'
    inbox.write_text(inbox.read_text(encoding='utf-8').replace('"x":', f'"x":{x},"was":'))
    recording = read_recording(copy)
    assert not page_data(recording).poses.ts
    assert 'Bright sand.' in make_page(recording)


@pytest.mark.slow
def test_a_broken_picture_is_named(copy: Any) -> None:
    picture = next((copy / 'pictures').iterdir())
    picture.write_bytes(b'no picture')
    assert f'pictures/{picture.name} cannot be shown' in make_page(read_recording(copy))


def test_a_goal_that_was_cut_short_is_unfinished(copy: Any) -> None:
    trace = copy / 'trace.jsonl'
    header, *lines = trace.read_text(encoding='utf-8').splitlines(keepends=True)
    ends = next(n for n, line in enumerate(lines) if 'goal_ended' in line)
    again = [line.replace('"task_id":"', '"task_id":"another ') for line in lines]
    trace.write_text(''.join([header, *lines[:ends], header, *again]), encoding='utf-8')
    goals = read_goals(read_recording(copy).processes)
    assert [goal.outcome for goal in goals] == ['unfinished', 'claimed', 'answered']
    assert goals[0].answer == NO_END


@pytest.mark.slow
def test_no_file_outside_of_the_run_gets_into_the_page(copy: Any, tmp_path: Path) -> None:
    picture = next((copy / 'pictures').iterdir())
    shutil.copy(picture, tmp_path / picture.name)
    index = copy / 'pictures.jsonl'
    index.write_text(index.read_text().replace('"file":"pictures/', '"file":"../'))
    text = make_page(read_recording(copy))
    assert 'is not in the run folder' in text
    assert 'data:image/jpeg;base64,' not in text


@pytest.fixture(scope='module')
def runs(
    bench: MakeBench, propose: Propose, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """A run that was killed, and the one that went on with its goal. One goal had ended before."""
    folder = tmp_path_factory.mktemp('runs')
    killed_run(bench, propose, folder)
    return folder / 'first', folder / 'second'


@pytest.mark.slow
def test_both_parts_of_a_goal_are_one(runs: tuple[Path, Path]) -> None:
    joined = join([read_recording(each) for each in runs])
    goals = read_goals(joined.processes)
    assert [goal.outcome for goal in goals] == ['answered', 'reached']
    assert [step.score for step in goals[1].steps] == [0.3, 0.9]
    assert goals[1].answer == 'Bright sand.'
    data = page_data(joined)
    assert [picture.src[:5] for picture in data.pictures] == ['data:', 'data:']
    assert len(data.trees) == 1
    assert data.run.notes[0].startswith('Joined from first, second; ')
    assert not any('goes on here' in note for note in data.run.notes)
    assert {name.split('/')[0] for name in data.run.files} == {'first', 'second'}


@pytest.mark.slow
def test_the_order_of_the_command_line_does_not_matter(runs: tuple[Path, Path]) -> None:
    there, back = (
        join([read_recording(each) for each in order]) for order in (runs, reversed(runs))
    )
    assert there == back


@pytest.mark.slow
@pytest.mark.parametrize('started_at', ['1970-01-01T00:00:09.000+00:00', ''])
def test_a_run_follows_the_one_that_it_resumed_whatever_the_clock_showed(
    runs: tuple[Path, Path], tmp_path: Path, started_at: str
) -> None:
    second = shutil.copytree(runs[1], tmp_path / 'second')
    metadata = json.loads((second / 'run.json').read_text())
    (second / 'run.json').write_text(json.dumps(metadata | {'started_at': started_at}))
    joined = join([read_recording(second), read_recording(runs[0])])
    assert [goal.outcome for goal in read_goals(joined.processes)] == ['answered', 'reached']


def test_a_run_is_not_missing_because_its_folder_has_another_name(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    copies = [shutil.copytree(each, tmp_path / f'a copy of {each.name}') for each in runs]
    notes = join([read_recording(each) for each in copies]).notes
    assert not any('goes on here' in note for note in notes)


def test_one_part_alone_names_the_other(runs: tuple[Path, Path]) -> None:
    (note,) = (
        note for note in join([read_recording(runs[1])]).notes if 'began in the run first' in note
    )
    assert '`bt-executive report first second`' in note


@pytest.mark.slow
def test_an_end_missing_after_a_kill_is_recorded_by_the_next_run(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    first = shutil.copytree(runs[0], tmp_path / 'first')
    trace = first / 'trace.jsonl'
    lines = trace.read_text(encoding='utf-8').splitlines(keepends=True)
    trace.write_text(''.join(line for line in lines if 'goal_ended' not in line))
    assert read_goals(read_recording(first).processes)[0].outcome == 'unfinished'
    goals = read_goals(join([read_recording(first), read_recording(runs[1])]).processes)
    assert (goals[0].outcome, goals[0].answer) == ('answered', 'Nothing there.')


def test_a_restarted_clock_is_noted(runs: tuple[Path, Path], tmp_path: Path) -> None:
    again = shutil.copytree(runs[1], tmp_path / 'again')
    notes = join([read_recording(runs[1]), read_recording(again)]).notes
    assert any('The ROS clock of' in note for note in notes)


def test_a_clock_that_was_set_back_within_a_run_is_noted(copy: Any) -> None:
    trace = copy / 'trace.jsonl'
    assert not any('set back' in note for note in read_recording(copy).notes)
    lines = [json.loads(line) for line in trace.read_text(encoding='utf-8').splitlines()]
    later = [line | {'ts': line['ts'] + 50.0} if 'ts' in line else line for line in lines]
    text = ''.join(f'{json.dumps(line)}\n' for line in (*later, *lines))
    trace.write_text(text, encoding='utf-8')  # as of a simulation that was started again
    assert any('was set back, by up to' in note for note in read_recording(copy).notes)


def test_a_run_that_is_named_twice_is_refused(runs: tuple[Path, Path]) -> None:
    with pytest.raises(RecordingError, match='is named twice'):
        write_report([runs[0], runs[0] / '..' / 'first'])


@pytest.mark.slow
def test_the_command_takes_several_runs(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(['report', *map(str, runs)])
    assert ended.value.code == 0
    page = runs[1] / 'report.html'
    assert capsys.readouterr().out.strip() == str(page)
    assert page.read_text(encoding='utf-8') == make_page(
        join([read_recording(each) for each in runs])
    )
