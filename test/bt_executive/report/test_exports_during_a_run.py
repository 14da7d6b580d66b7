"""A report and a film that are made while a goal is pursued say so, and know the latest moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
import re

import pytest

from bt_executive.report.film import film
from bt_executive.report.read_and_join_run_folders import RecordedPose, Recording, read_recording
from bt_executive.report.report_film_or_zip import run_report
from bt_executive.report.report_html import make_page
from bt_executive.report.report_page_data import page_data

LATER_S = 34.0


@pytest.fixture
def cut(recorded: Path) -> Recording:
    """The recording up to an event of its first goal; the robot drives on."""
    whole = read_recording(recorded)
    events = [*whole.events]
    end = next(n for n, event in enumerate(events) if 'goal_ended' in (event.data or {}))
    last = events[end - 1]
    pose = RecordedPose(last.ts + LATER_S, 13.0, 0.0, 0.0)
    return replace(whole, processes=(tuple(events[:end]),), trees=(), poses=(pose,), charges=())


@pytest.mark.slow
def test_a_goal_that_is_pursued_lasts_to_the_latest_moment(cut: Recording) -> None:
    data = page_data(cut, in_progress=True)
    last = data.events[-1][0]
    assert data.run.made_at == data.ended == last + LATER_S
    assert not data.goals[-1].story.over


def test_a_run_that_was_cut_off_is_no_run_that_goes_on(cut: Recording) -> None:
    data = page_data(cut)
    assert (data.run.made_at, data.ended) == (None, data.events[-1][0])


def test_a_run_without_an_active_goal_has_no_mark(recorded: Path) -> None:
    assert page_data(read_recording(recorded), in_progress=True).run.made_at is None


@pytest.mark.slow
def test_exports_during_a_run_are_marked(cut: Recording) -> None:
    assert re.search(r'"made_at":[0-9]', make_page(cut, in_progress=True))
    assert '"made_at":null' in make_page(cut)
    heads = []
    for in_progress in (False, True):
        first, _ = next(film(page_data(cut, in_progress), frames=2))
        heads.append(first.crop((16, 36, 400, 54)).tobytes())
    assert heads[0] != heads[1]


def test_what_is_downloaded_is_of_a_run_that_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from bt_executive.report import report_film_or_zip

    asked = []

    def made(runs: object, output: Path, in_progress: bool) -> Path:
        asked.append(in_progress)
        output.write_text('page')
        return output

    monkeypatch.setattr(report_film_or_zip, 'write_report', made)
    assert report_film_or_zip.make_download(tmp_path, 'report')[1] == b'page'
    run_report([tmp_path], 'report', tmp_path / 'x.html')
    assert asked == [True, False]
