"""A run folder is new, empty or one of a run; anything else is refused and not touched."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path

import pytest

from rover_common.errors import UsageError
from rover_common.process.new_run_folder import (
    MARK,
    RUN_START_VARIABLE,
    claim_run_folder,
    export_run_start,
    make_run_folder,
    run_start,
)


def content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_text()
        for path in folder.rglob('*')
        if path.is_symlink() or path.is_file()
    }


def fill(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text('of somebody')


@pytest.mark.parametrize(
    'name',
    [
        'config/topics.yaml',
        'notes.txt',
        '.hidden',
        'logs/x',
        'trace.jsonl',
        'empty/x',
        f'{MARK}/x',
    ],
)
def test_a_folder_with_anything_else_is_refused_and_not_touched(tmp_path: Path, name: str) -> None:
    fill(tmp_path, name)
    before = content(tmp_path)
    with pytest.raises(UsageError, match='is no run folder and not empty') as refused:
        make_run_folder(tmp_path)
    assert str(tmp_path) in str(refused.value)
    assert content(tmp_path) == before


def through_a_link(folder: Path) -> Path:
    link = folder.with_name('link')
    link.symlink_to(folder)
    return link


@pytest.mark.parametrize('path', [lambda folder: folder, through_a_link])
def test_the_rule_holds_behind_a_link(tmp_path: Path, path: Callable[[Path], Path]) -> None:
    folder = tmp_path / 'folder'
    fill(folder, 'config/topics.yaml')
    with pytest.raises(UsageError, match='is no run folder'):
        make_run_folder(path(folder))
    assert content(folder) == {'config/topics.yaml': 'of somebody'}


def test_a_new_an_empty_and_a_marked_folder_are_taken(tmp_path: Path) -> None:
    new, empty = tmp_path / 'a' / 'new', tmp_path / 'empty'
    empty.mkdir()
    for folder in (new, empty):
        assert make_run_folder(folder) == folder
        fill(folder, 'config/topics.yaml')
        assert make_run_folder(folder) == folder
        assert content(folder)['config/topics.yaml'] == 'of somebody'


def test_a_folder_of_an_earlier_version_is_known_by_its_trace(tmp_path: Path) -> None:
    (tmp_path / 'trace.jsonl').write_text('{"schema":"bt_executive.trace","version":"1.0"}\n')
    assert make_run_folder(tmp_path) == tmp_path
    assert (tmp_path / MARK).is_file()


def test_nothing_is_written_through_a_link_in_a_marked_folder(tmp_path: Path) -> None:
    run, mine = make_run_folder(tmp_path / 'run'), tmp_path / 'mine'
    fill(mine, 'topics.yaml')
    (run / 'config').symlink_to(mine)
    with pytest.raises(UsageError, match="has the link 'config'"):
        make_run_folder(run)


@pytest.mark.parametrize('make', [Path.touch, lambda path: path.symlink_to('nowhere'), os.mkfifo])
def test_what_is_no_folder_is_named(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / 'file')
    with pytest.raises(UsageError, match=r"file' cannot be made \(File exists\)"):
        make_run_folder(tmp_path / 'file')
    with pytest.raises(UsageError, match='cannot be made'):
        make_run_folder(tmp_path / 'file' / 'below')


def test_a_fresh_folder_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = {make_run_folder() for _ in range(3)}
    assert len(folders) == 3
    assert all((folder / MARK).is_file() for folder in folders)


@pytest.mark.parametrize('text', ['', 'soon', 'nan', 'inf', '-1', '0'])
def test_a_begin_that_is_no_time_is_not_known(text: str) -> None:
    assert run_start({RUN_START_VARIABLE: text}) is None
    assert run_start({}) is None


def test_the_begin_of_a_run_is_passed_on() -> None:
    environment: dict[str, str] = {}
    export_run_start(environment, 1795839672.25)
    assert run_start(environment) == 1795839672.25


def test_a_folder_takes_one_run_at_a_time(tmp_path: Path) -> None:
    with (
        claim_run_folder(make_run_folder(tmp_path)),
        pytest.raises(UsageError, match='Another run is being written to'),
    ):
        claim_run_folder(make_run_folder(tmp_path))
    claim_run_folder(make_run_folder(tmp_path)).close()
