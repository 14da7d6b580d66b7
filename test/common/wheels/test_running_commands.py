"""Commands that are run, and what is said meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rover_common.wheels import running_commands as progress_module


@pytest.mark.process
def test_the_end_of_a_failed_commands_output_is_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / 'logs' / 'x.log'
    command = ['/bin/sh', '-c', 'echo no space left; exit 3']
    with (
        pytest.raises(progress_module.CommandError),
        progress_module.Progress() as progress,
    ):
        progress.run('dependencies', command, log, os.environ)
    assert f'dependencies: exit code 3. The end of {log}:\nno space left' in capfd.readouterr().err


@pytest.mark.process
def test_a_command_that_cannot_be_started_fails_as_one_that_ends_badly(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / 'uv'
    program.touch(0o644)  # as on a file system that is mounted noexec
    progress = progress_module.Progress()
    with pytest.raises(progress_module.CommandError):
        progress.run('dependencies', [program], tmp_path / 'x.log', os.environ)
    assert 'dependencies: cannot be started' in capfd.readouterr().err
    assert 'Permission denied' in (tmp_path / 'x.log').read_text()
    with progress.task('pip'):  # the failed command is no longer among them
        assert progress._now() == [('pip', '')]


def test_a_line_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    path = '/home/rover/' + 'x' * 200
    progress_module.Progress().print_line(f'the cache is {path}')
    assert capsys.readouterr().out.endswith(f's  the cache is {path}\n')


def test_nothing_is_started_after_the_end(tmp_path: Path) -> None:
    with progress_module.Progress() as progress:
        pass
    with pytest.raises(progress_module.CommandError):
        progress.run('dependencies', ['/bin/true'], tmp_path / 'x.log', os.environ)
    assert not (tmp_path / 'x.log').exists()


@pytest.mark.process
def test_what_a_long_command_is_at_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, 'QUIET_S', 0.05)
    said = tmp_path / 'said'
    os.mkfifo(said)
    progress = progress_module.Progress()

    def print_line(line: str) -> None:
        """The command goes on when the line that the test waits for is said."""
        if line == 'dependencies: Collecting numpy':
            with said.open('w') as pipe:
                pipe.write('go on')
            monkeypatch.setattr(progress, 'print_line', lambda _: None)

    monkeypatch.setattr(progress, 'print_line', print_line)
    command = ['/bin/sh', '-c', f'echo "Collecting numpy (from x)"; cat {said}']
    with progress:
        progress.run('dependencies', command, tmp_path / 'log', os.environ)
