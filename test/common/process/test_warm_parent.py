"""Programs that are forked are children as those that `subprocess` starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import errno
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import textwrap

import psutil
import pytest
from waiting import wait_until
from warm import WarmPopen, warm_parent

from rover_common.process.warm_parent import MODULE, Program, WarmParent

pytestmark = pytest.mark.process
Start = Callable[..., int]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a text as a module of its own; what it prints goes to `said`."""

    def begin(text: str, *arguments: str, parent: WarmParent | None = None) -> int:
        name = f'program_{len(pids)}'
        (tmp_path / f'{name}.py').write_text(textwrap.dedent(text))
        environment = {'PYTHONPATH': str(tmp_path), 'PYTHONIOENCODING': 'utf-8', 'COLOUR': 'blå'}
        program = Program(name, arguments, environment, str(tmp_path))
        with (tmp_path / 'said').open('ab') as said, open(os.devnull, 'rb') as nothing:
            number = said.fileno()
            started = (parent or warm_parent()).start(program, nothing.fileno(), number, number)
        pids.append(started)
        return started

    pids: list[int] = []
    yield begin
    for pid in pids:
        if psutil.pid_exists(pid):
            os.kill(pid, signal.SIGKILL)
            psutil.Process(pid).wait()


def code_of(pid: int) -> int:
    """The exit code of a child; negative: the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def said(tmp_path: Path) -> str:
    return (tmp_path / 'said').read_text(encoding='utf-8')


def test_a_program_finds_what_it_would_find_if_it_were_started_from_nothing(
    start: Start, tmp_path: Path
) -> None:
    text = """
        import atexit, json, os, signal, sys, threading
        atexit.register(print, 'at exit')
        handlers = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
        print(json.dumps({
            'argv': sys.argv, 'colour': os.environ['COLOUR'], 'variables': len(os.environ),
            'folder': os.getcwd(), 'name': __name__, 'session': os.getsid(0) == os.getpid(),
            'parent': os.getppid(), 'threads': threading.active_count(),
            'signals': handlers == [signal.default_int_handler, signal.SIG_DFL],
            'files': sorted(map(int, os.listdir('/proc/self/fd')))[:3],
        }))
    """
    pid = start(text, '--set', 'a b=→')
    assert code_of(pid) == 0
    found, at_exit = said(tmp_path).splitlines()
    assert at_exit == 'at exit'
    assert json.loads(found) == {
        'argv': [str(tmp_path / 'program_0.py'), '--set', 'a b=→'],
        **{'colour': 'blå', 'variables': 3, 'folder': str(tmp_path), 'name': '__main__'},
        **{'session': True, 'parent': os.getpid(), 'threads': 1, 'signals': True},
        'files': [0, 1, 2],
    }


def test_others_see_the_command_line_of_the_program(start: Start) -> None:
    pid = start('import signal; signal.pause()', '--run-dir', 'a b')
    wanted = [sys.executable, '-m', 'program_0', '--run-dir', 'a b']
    wait_until(lambda: psutil.Process(pid).cmdline() == wanted)


@pytest.mark.parametrize(
    ('text', 'code', 'words'),
    [
        ('', 0, ''),
        ('raise SystemExit(7)', 7, ''),
        ('import sys; sys.exit("out of paint")', 1, 'out of paint'),
        ('1 / 0', 1, 'ZeroDivisionError'),
        ('import os; os._exit(3)', 3, ''),
        ('import os; os.kill(os.getpid(), 9)', -9, ''),
        ('import os, signal; os.kill(os.getpid(), signal.SIGINT)', -2, 'KeyboardInterrupt'),
        ('import nowhere', 1, "No module named 'nowhere'"),
    ],
)
def test_its_end_is_told_as_python_tells_it(
    start: Start, tmp_path: Path, text: str, code: int, words: str
) -> None:
    assert code_of(start(text)) == code
    assert words in said(tmp_path)
    assert words or not said(tmp_path)


def test_two_of_one_parent_share_no_chance_and_no_id(start: Start, tmp_path: Path) -> None:
    text = 'import random, uuid; print(random.random(), uuid.uuid4())'
    for _ in range(2):
        assert code_of(start(text)) == 0
    words = said(tmp_path).split()
    assert len(set(words)) == 4


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGSTOP])
def test_the_death_of_the_warm_parent_ends_no_program_and_is_no_obstacle(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    parent = WarmParent()
    living = start('import signal; signal.pause()', parent=parent)
    os.kill(parent._pid, number)
    if number == signal.SIGSTOP:
        monkeypatch.setattr(parent, '_patience_s', 0.1)
    assert code_of(start('print("here")', parent=parent)) == 0
    assert said(tmp_path) == 'here\n'
    assert psutil.Process(living).status() != psutil.STATUS_ZOMBIE
    parent.close()


def test_a_refusal_of_another_warm_parent_is_none_for_ever(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, 'no process is left')

    parent = WarmParent()
    os.kill(parent._pid, signal.SIGKILL)
    with monkeypatch.context() as full:
        full.setattr(subprocess, 'Popen', refuses)
        for _ in range(2):
            with pytest.raises(BlockingIOError):
                start('', parent=parent)
            assert psutil.pid_exists(parent._pid), 'its id may be of another process'
    assert code_of(start('print("here")', parent=parent)) == 0
    assert said(tmp_path) == 'here\n'
    parent.close()


def test_it_ends_with_the_process_that_has_it() -> None:
    text = """
        import time
        from rover_common.process.warm_parent import WarmParent
        parent = WarmParent()
        print(parent._pid, flush=True)
        time.sleep(600)
    """
    with WarmPopen([sys.executable, '-c', textwrap.dedent(text)], stdout=-1, text=True) as owner:
        assert owner.stdout is not None
        warm = psutil.Process(int(owner.stdout.readline()))
        wait_until(lambda: MODULE in warm.cmdline())
        owner.kill()
    warm.wait(60.0)
