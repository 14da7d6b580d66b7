"""A run as a zip, and zips from strangers."""

from __future__ import annotations

from collections.abc import Callable
import errno
import os
from pathlib import Path
import stat
import zipfile

import pytest

from bt_executive.report import run_zip
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_film_or_zip import make_download, run_report
from bt_executive.report.report_html import make_page
from bt_executive.report.run_zip import unpacked, write_zip
from rover_common.errors import RecordingError

TRACE = '{"format": "bt_executive/trace"}\n'


@pytest.mark.slow
def test_a_run_that_was_sent_gives_the_same_page(recorded: Path, tmp_path: Path) -> None:
    packed = write_zip(recorded, tmp_path / 'it.zip')
    with unpacked([packed]) as (folder,):
        assert folder.name == recorded.name
        assert make_page(read_recording(folder)) == make_page(read_recording(recorded))
    assert not folder.exists()


@pytest.mark.slow
def test_the_report_of_a_zip_stands_beside_it(recorded: Path, tmp_path: Path) -> None:
    packed = run_report([recorded], 'run', tmp_path / 'it.zip')
    assert run_report([packed], 'report', None) == tmp_path / 'it.html'


@pytest.mark.parametrize(('kind', 'begins'), [('report', b'<!'), ('run', b'PK')])
@pytest.mark.slow
def test_what_a_page_offers_has_the_name_of_its_run(
    recorded: Path, tmp_path: Path, kind: str, begins: bytes
) -> None:
    run = tmp_path / 'a "run"\n'
    run.symlink_to(recorded)
    name, content = make_download(run, kind)  # type: ignore[arg-type]
    assert name.partition('.')[0] == recorded.name
    assert content.startswith(begins)


def zip_of(path: Path, *names: str, content: str = TRACE) -> Path:
    with zipfile.ZipFile(path, 'w') as packed:
        for name in names:
            packed.writestr(name, content)
    return path


@pytest.mark.parametrize(
    'name',
    [
        '../trace.jsonl',
        '../../etc/cron.d/evil.log',
        '/etc/passwd',
        'C:\\evil.jsonl',
        'logs/../../../evil.log',
        'run/../../evil.jsonl',
        'evil.py',
        'config/.hidden/evil.yaml',
        'pictures/evil.svg',
        'logs/evil\x00.log',
        'a' * 500 + '.jsonl',
    ],
)
def test_a_name_that_no_run_has_is_refused_and_nothing_is_written_outside(
    tmp_path: Path, name: str
) -> None:
    packed = zip_of(tmp_path / 'it.zip', 'trace.jsonl', name)
    before = sorted(tmp_path.rglob('*'))
    with pytest.raises(RecordingError, match=r'it\.zip'), unpacked([packed]):
        pass
    assert sorted(tmp_path.rglob('*')) == before


def link(path: Path) -> None:
    with zipfile.ZipFile(path, 'w') as packed:
        entry = zipfile.ZipInfo('logs/passwd.log')
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(entry, '/etc/passwd')


def many(path: Path) -> None:
    zip_of(path, *(f'pictures/{number}.jpg' for number in range(run_zip.MAX_FILES + 1)))


def twice(path: Path) -> None:
    with pytest.warns(UserWarning, match='Duplicate'):
        zip_of(path, 'trace.jsonl', 'trace.jsonl')


def torn(path: Path) -> None:
    zip_of(path, 'trace.jsonl', content='x' * 5000)
    path.write_bytes(path.read_bytes()[:2000])


def flipped(path: Path) -> None:
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as packed:
        packed.writestr('trace.jsonl', ''.join(map(str, range(3000))))
    raw = bytearray(path.read_bytes())
    raw[100:200] = bytes(100)
    path.write_bytes(raw)


def extending(path: Path) -> None:
    zip_of(path, 'trace.jsonl', 'config/robot.yaml', content='"ext\\u0065nds": ../../secret.yaml')


@pytest.mark.parametrize('make', [link, many, twice, torn, flipped, extending])
def test_a_zip_that_is_more_or_less_than_a_run_is_refused(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / 'it.zip')
    with pytest.raises(RecordingError, match=r'it\.zip'), unpacked([tmp_path / 'it.zip']):
        pass


def test_the_content_counts_and_not_the_size_in_the_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_zip, 'MAX_BYTES', 1000)
    with zipfile.ZipFile(tmp_path / 'it.zip', 'w', zipfile.ZIP_DEFLATED) as packed:
        packed.writestr('trace.jsonl', 'x' * 100_000)
    with pytest.raises(RecordingError, match='larger'), unpacked([tmp_path / 'it.zip']):
        pass


def test_a_run_of_a_robot_whose_clock_was_not_set_is_packed(tmp_path: Path) -> None:
    run = tmp_path / 'run'
    run.mkdir()
    (run / 'trace.jsonl').write_text(TRACE)
    os.utime(run / 'trace.jsonl', (0.0, 0.0))  # 1970
    with unpacked([write_zip(run, tmp_path / 'it.zip')]) as (folder,):
        assert (folder / 'trace.jsonl').read_text() == TRACE


def test_a_zip_stays_where_another_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / 'run'
    run.mkdir()
    (run / 'trace.jsonl').write_text(TRACE)
    packed = write_zip(run, tmp_path / 'it.zip')
    before = packed.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(zipfile.ZipFile, 'write', full)
    with pytest.raises(RecordingError, match=r'it\.zip cannot be written \(No space left'):
        run_report([packed], 'run', None)
    assert packed.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {'run', 'it.zip'}


@pytest.mark.parametrize('name', ['.', 'logs/..'])
def test_the_zip_of_the_folder_one_is_in_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    run = tmp_path / 'run'
    (run / 'logs').mkdir(parents=True)
    (run / 'trace.jsonl').write_text(TRACE)
    monkeypatch.chdir(run)
    assert run_report([Path(name)], 'run', None) == tmp_path / 'run.zip'


def test_a_file_that_is_no_zip_is_reported(tmp_path: Path) -> None:
    (tmp_path / 'it.zip').write_text('no zip')
    with pytest.raises(RecordingError, match=r'is not a zip of a run.* --zip` has written'):
        run_report([tmp_path / 'it.zip'], 'report', None)
