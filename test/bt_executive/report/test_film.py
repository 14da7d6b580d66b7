"""The film, and the run that is meant when none is named."""

from __future__ import annotations

from dataclasses import replace
import os
from pathlib import Path

from PIL import Image, ImageChops, ImageColor, ImageStat
import pytest

from bt_executive.cli import main
from bt_executive.report.film import (
    ALLOWED,
    EARLY,
    LAST_MS,
    QUIET,
    REFUSAL_MS,
    REFUSED,
    SIZE,
    describe_decision,
    film,
    goal_at,
    span_of,
    write_film,
)
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_film_or_zip import latest_run
from bt_executive.report.report_page_data import page_data
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.steps_of_a_goal import Approval, ToolStep
from rover_common.errors import RecordingError


@pytest.mark.slow
def test_the_film_moves(recorded: Path) -> None:
    (first, _), *_, (last, stands) = film(page_data(read_recording(recorded)), frames=3)
    assert first.size == last.size == SIZE
    assert first.tobytes() != last.tobytes()
    assert stands == LAST_MS


@pytest.mark.slow
def test_a_refusal_stands_long_enough_to_be_read(recorded: Path) -> None:
    data = page_data(read_recording(recorded))
    steps = [step for goal in data.goals for step in goal.story.steps]
    assert any(step.verdict == 'refused' for step in steps)
    shown = list(film(data, frames=3))
    pictures = [image for image, stands in shown if stands == REFUSAL_MS]
    assert 1 <= len(pictures) <= 2
    red = ImageColor.getrgb(REFUSED)
    assert all(image.getpixel((18, 440)) == red for image in pictures)
    why = (34, 478, 860, 494)  # what the guard had read, and its rule; empty if it was allowed
    others = [image for image, stands in shown if stands != REFUSAL_MS]
    assert all(len(image.crop(why).getcolors() or ()) > 1 for image in pictures)
    assert len(others[-1].crop(why).getcolors() or ()) == 1


def test_a_goal_that_goes_on_is_in_the_film_when_later_ones_have_ended() -> None:
    first = GoalStory('first', 0.0, 9.0, over=True)
    queued = GoalStory('queued', 2.0, 2.0, over=True)
    urgent = GoalStory('urgent', 3.0, 5.0, over=True)
    shown = [goal_at([first, queued, urgent], ts) for ts in (-1.0, 1.0, 2.0, 2.5, 4.0, 8.0, 10.0)]
    assert shown == [None, first, queued, first, urgent, first, first]
    assert goal_at([replace(first, ended=4.0, over=False), urgent], 8.0) is not urgent


def test_what_ended_in_the_queue_by_the_same_stop_does_not_stand_for_the_drive() -> None:
    drive = GoalStory('drive', 0.0, 9.0, over=True, answer='Stopped by the operator')
    queued = GoalStory('queued', 9.001, 9.001, over=True, answer='Stopped by the operator')
    refused = GoalStory('refused', 9.5, 9.5, over=True, answer='reset first')
    assert goal_at([drive, queued], 10.0) is drive
    assert goal_at([drive, queued, refused], 10.0) is refused


@pytest.mark.parametrize('character', ['地', 'W', 'i'])
def test_a_long_goal_ends_before_its_outcome(recorded: Path, character: str) -> None:
    data = page_data(read_recording(recorded))
    heads = []
    for text in (character, character * 300):
        goals = [replace(each, story=replace(each.story, text=text)) for each in data.goals]
        *_, (last, _) = film(replace(data, goals=goals), frames=1)
        heads.append(last.crop((780, 0, 880, 54)).tobytes())
    assert heads[0] == heads[1]


WAITS = Approval('ask-1', 1.0)


@pytest.mark.parametrize(
    ('step', 'ts', 'words', 'colour'),
    [
        (ToolStep(0, 1.0, 'go', verdict='allowed', began=1.1), 2.0, 'Allowed by', ALLOWED),
        (ToolStep(0, 1.0, 'go', verdict='asked', approval=WAITS), 2.0, 'if the operator', EARLY),
        (ToolStep(0, 1.0, 'go', verdict='allowed', approval=WAITS, began=3.0), 2.0, 'if', EARLY),
        (ToolStep(0, 1.0, 'go', verdict='withdrawn', approval=WAITS), 2.0, 'if the', EARLY),
        (ToolStep(0, 1.0, 'go', ended=2.0, ok=True, result='done'), 2.0, 'done', ALLOWED),
        (ToolStep(0, 1.0, 'go', ended=2.0, ok=False, result='stuck'), 2.0, 'stuck', REFUSED),
        (ToolStep(0, 1.0, 'go', ended=2.0, ok=False, early=True, result='cut'), 2.0, 'cut', EARLY),
        (ToolStep(0, 1.0, 'go', verdict='refused', reason='no'), 2.0, 'Refused by', REFUSED),
        (ToolStep(0, 1.0, 'go'), 2.0, '', QUIET),
    ],
)
def test_a_decision_is_as_it_was_at_that_moment(
    step: ToolStep, ts: float, words: str, colour: str
) -> None:
    shown, ink = describe_decision(step, ts)
    assert words in shown
    assert (bool(shown), ink) == (bool(words), colour)


def test_a_film_lasts_from_the_first_goals_begin_to_the_last_ones_end(recorded: Path) -> None:
    data = page_data(read_recording(recorded))
    assert span_of(data) == (data.goals[0].story.began, data.goals[-1].story.ended)
    assert span_of(replace(data, goals=[])) == (data.ended, data.ended)


@pytest.mark.slow
def test_a_film_is_a_gif_of_many_frames_in_the_colours_that_were_drawn(
    recorded: Path, tmp_path: Path
) -> None:
    path = write_film([recorded], tmp_path / 'it.gif')
    *_, (last, _) = film(page_data(read_recording(recorded)), frames=2)
    with Image.open(path) as image:
        assert image.format == 'GIF'
        assert getattr(image, 'n_frames', 1) > 5
        image.seek(getattr(image, 'n_frames', 1) - 1)
        different = ImageChops.difference(image.convert('RGB'), last)
    assert all(each < 5.0 for each in ImageStat.Stat(different).rms)


def test_an_unwritable_film_is_reported_before_it_is_drawn(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr('bt_executive.report.film.film')
    with pytest.raises(RecordingError, match='cannot be written'):
        write_film([recorded], tmp_path / 'no' / 'such.gif')


@pytest.mark.slow
def test_without_a_name_the_latest_run_is_meant(
    recorded: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number, name in enumerate(('b-old', 'a-new')):
        folder = tmp_path / 'runs' / name
        folder.mkdir(parents=True)
        for each in recorded.iterdir():
            if each.name != 'trace.jsonl':
                (folder / each.name).symlink_to(each)
        trace = folder / 'trace.jsonl'
        trace.write_bytes((recorded / 'trace.jsonl').read_bytes())
        os.utime(trace, (1000.0 + number, 1000.0 + number))
    assert latest_run(tmp_path / 'runs').name == 'a-new'
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(['report', '-o', str(tmp_path / 'page.html')])
    assert ended.value.code == 0
    assert 'page.html' in capsys.readouterr().out


def test_a_missing_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match='There is no run'):
        latest_run(tmp_path)
