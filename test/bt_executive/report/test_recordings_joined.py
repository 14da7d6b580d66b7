"""A goal that goes on in the run folder of the next start: both parts in one report."""

from __future__ import annotations

from pathlib import Path
import shutil

from killed_run import killed_run
import pytest
from tree_bench import MakeBench, Propose

from bt_executive.cli import main
from bt_executive.report.recordings_joined import join
from bt_executive.report.report_html import make_page, write_report
from bt_executive.report.report_page_data import page_data
from bt_executive.report.run_folder_reading import read_recording
from bt_executive.view.goal_story_fold import read_goals
from rover_common.errors import RecordingError


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


def test_the_order_of_the_command_line_does_not_matter(runs: tuple[Path, Path]) -> None:
    there, back = (
        join([read_recording(each) for each in order]) for order in (runs, reversed(runs))
    )
    assert there == back


def test_one_part_alone_names_the_other(runs: tuple[Path, Path]) -> None:
    (note,) = (
        note for note in join([read_recording(runs[1])]).notes if 'began in the run first' in note
    )
    assert '`bt-executive report first second`' in note


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
