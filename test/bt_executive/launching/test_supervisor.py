"""The supervisor with real child processes: small Python programs in the nodes' place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import errno
from functools import partial
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import textwrap
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import psutil
import pytest
from waiting import wait_until
from warm import warm_parent

from bt_executive.launching.supervisor import (
    FIRST_DELAY_S,
    MOST_DEATHS,
    WINDOW_S,
    RestartPolicy,
    Supervisor,
    SupervisorNotice,
)
from bt_executive.launching.system_processes import NodeProcess
from rover_common.process.process_end import UNUSABLE

FAITHFUL = """
    import signal, sys, threading
    from rover_common.process.process_end import watch_lifeline
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    watch_lifeline(ended.set)
    print('ready', flush=True)
    while not ended.wait(0.02):
        pass
    with open(sys.argv[1], 'a') as diary:
        diary.write(__name__ and sys.modules['__main__'].__spec__.name + ' ')
"""
STUBBORN = """
    import signal, threading
    from rover_common.process.process_end import watch_lifeline
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    watch_lifeline(lambda: None, grace_s=0.2)
    print('ready', flush=True)
    threading.Event().wait()
"""
DECLINING = 'import sys; print("key x is unknown"); sys.exit(2)'
TELLING = 'import sys; print(*sys.argv[1:], flush=True); sys.exit(1)'
COUNTING = """
    import pathlib, sys, time
    for number in range(100):
        print(f'line {number}', flush=True)
    while not pathlib.Path(sys.argv[1]).with_name('go on').exists():
        time.sleep(0.02)
    print('the end', flush=True)
"""
CRASHING = 'import sys; print("the wheels came off"); sys.exit(1)'


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    for name, text in {
        'faithful_first': FAITHFUL,
        'faithful_second': FAITHFUL,
        'stubborn': STUBBORN,
        'declining': DECLINING,
        'crashing': CRASHING,
        'counting': COUNTING,
        'telling': TELLING,
    }.items():
        (tmp_path / f'{name}.py').write_text(textwrap.dedent(text))
    return {**os.environ, 'PYTHONPATH': str(tmp_path)}


@pytest.fixture
def supervise(tmp_path: Path, programs: dict[str, str]) -> Iterator[Callable[..., Supervisor]]:
    supervisors: list[Supervisor] = []

    def make(*names: str, end_stage: dict[str, int] | None = None, **more: Any) -> Supervisor:
        nodes = [NodeProcess(n, n, (end_stage or {}).get(n, 0), 'a test program') for n in names]
        supervisor = Supervisor(
            nodes,
            [str(tmp_path / 'diary')],
            tmp_path / 'logs',
            programs,
            warm_parent(),
            **more,
        )
        supervisors.append(supervisor)
        supervisor.start()
        return supervisor

    yield make
    for supervisor in supervisors:
        supervisor.end()


def watched(
    supervisor: Supervisor, done: Callable[[list[SupervisorNotice]], bool]
) -> list[SupervisorNotice]:
    """Watches until that is true of all that it noticed."""
    notices: list[SupervisorNotice] = []

    def request() -> bool:
        notices.extend(supervisor.watch())
        return done(notices)

    wait_until(request, lambda: f'that is not what was noticed: {notices}')
    return notices


def said_ready(tmp_path: Path, name: str, times: int = 1) -> bool:
    log = tmp_path / 'logs' / f'{name}.log'
    return log.exists() and log.read_text().count('ready') == times


@pytest.mark.process
def test_processes_end_in_their_order_and_none_is_left(supervise: Any, tmp_path: Path) -> None:
    supervisor = supervise(
        'faithful_second', 'faithful_first', end_stage={'faithful_first': 0, 'faithful_second': 1}
    )
    for name in ('faithful_first', 'faithful_second'):
        wait_until(partial(said_ready, tmp_path, name))
    pids = supervisor.pids()
    supervisor.end()
    assert (tmp_path / 'diary').read_text() == 'faithful_first faithful_second '
    assert not any(psutil.pid_exists(pid) for pid in pids.values())


@pytest.mark.process
def test_what_a_process_gets_at_its_first_start_it_does_not_get_again(
    supervise: Any, tmp_path: Path
) -> None:
    supervisor = supervise('telling', first_arguments={'telling': ['--fresh']})
    watched(supervisor, lambda notices: sum(each.died for each in notices) == 2)
    first, second = (tmp_path / 'logs' / 'telling.log').read_text().splitlines()
    assert '--fresh' in first
    assert '--fresh' not in second


@pytest.mark.process
def test_a_process_that_ignores_the_request_is_killed(
    supervise: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('bt_executive.launching.supervisor.END_TIMEOUT_S', 0.3)
    supervisor = supervise('stubborn')
    wait_until(lambda: said_ready(tmp_path, 'stubborn'))
    (pid,) = supervisor.pids().values()
    supervisor.end()
    wait_until(lambda: not supervisor.pids() and not psutil.pid_exists(pid))


@pytest.mark.process
def test_a_killed_process_is_reported_and_started_again(supervise: Any, tmp_path: Path) -> None:
    supervisor = supervise('faithful_first')
    wait_until(lambda: said_ready(tmp_path, 'faithful_first'))
    os.kill(supervisor.pids()['faithful_first'], signal.SIGKILL)
    notices = watched(supervisor, lambda notices: len(notices) == 2)
    assert notices[0].died
    assert 'faithful_first was killed by SIGKILL; it is started again' in notices[0].text
    assert not notices[1].died
    wait_until(lambda: said_ready(tmp_path, 'faithful_first', times=2))


@pytest.mark.process
def test_a_process_that_cannot_use_its_options_is_not_started_again(supervise: Any) -> None:
    supervisor = supervise('declining')
    notices = watched(supervisor, bool)
    assert 'exit code 2 (key x is unknown) and is not started again' in notices[0].text


@pytest.mark.process
def test_a_process_that_dies_again_and_again_is_started_once_a_minute(
    supervise: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('bt_executive.launching.supervisor.FIRST_DELAY_S', 0.01)
    supervisor = supervise('crashing')
    notices = watched(supervisor, lambda notices: 'more than 5 times' in str(notices))
    assert 'the wheels came off' in notices[-1].text
    assert 'started again in 60.0 s: it has died more than 5 times in a minute; see' in (
        notices[-1].text
    )
    assert not notices[-1].is_final
    assert supervisor.pids() == {}


@pytest.mark.process
def test_a_restart_that_the_system_refuses_is_tried_again(
    supervise: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object) -> int:
        full.undo()
        raise OSError(errno.EAGAIN, 'no process is left')

    monkeypatch.setattr('bt_executive.launching.supervisor.FIRST_DELAY_S', 0.05)
    supervisor, full = supervise('crashing'), pytest.MonkeyPatch()
    full.setattr(warm_parent(), 'start', refuses)
    notices = watched(supervisor, lambda notices: len(notices) == 3)
    assert notices[1] == SupervisorNotice(
        'crashing',
        True,
        'crashing could not be started (no process is left); it is started again in 0.1 s',
        restart_in_s=0.1,
    )
    assert not notices[2].died


@pytest.mark.process
def test_a_process_whose_folder_was_removed_is_started_and_names_it(
    supervise: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / 'removed'
    folder.mkdir()
    monkeypatch.chdir(folder)
    supervisor = supervise('crashing')
    watched(supervisor, bool)
    folder.rmdir()
    reason = f'(FileNotFoundError: [Errno 2] No such file or directory: {str(folder)!r})'
    watched(supervisor, lambda notices: any(reason in each.text for each in notices))


@pytest.mark.process
def test_kill_9_of_the_supervisor_leaves_no_orphan(tmp_path: Path, programs: Any) -> None:
    script = textwrap.dedent(f"""
        import json, os, time
        from pathlib import Path
        from bt_executive.launching.system_processes import NodeProcess
        from bt_executive.launching.supervisor import Supervisor
        from rover_common.process.warm_parent import WarmParent
        names = {{'faithful_first': 0, 'faithful_second': 1, 'stubborn': 0}}
        nodes = [NodeProcess(name, name, ends, '') for name, ends in names.items()]
        folder = Path({str(tmp_path)!r})
        arguments, logs = [str(folder / 'diary')], folder / 'logs'
        supervisor = Supervisor(nodes, arguments, logs, os.environ, WarmParent())
        supervisor.start()
        print(json.dumps(supervisor.pids()), flush=True)
        time.sleep(600)
    """)
    parent = subprocess.Popen(
        [sys.executable, '-c', script], stdout=subprocess.PIPE, text=True, env=programs
    )
    assert parent.stdout is not None
    parent.stdout.readline()
    children = psutil.Process(parent.pid).children(recursive=True)
    for name in ('faithful_first', 'faithful_second', 'stubborn'):
        wait_until(partial(said_ready, tmp_path, name))
    assert len(children) == 4  # with their warm parent
    parent.kill()
    parent.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
    assert (tmp_path / 'diary').read_text() == 'faithful_first faithful_second '


@pytest.mark.process
def test_a_process_that_dies_after_its_logs_were_removed_is_started_again(
    supervise: Any, tmp_path: Path
) -> None:
    supervisor = supervise('faithful_first')
    wait_until(lambda: said_ready(tmp_path, 'faithful_first'))
    shutil.rmtree(tmp_path / 'logs')
    os.kill(supervisor.pids()['faithful_first'], signal.SIGKILL)
    watched(supervisor, lambda notices: len(notices) == 2)
    wait_until(lambda: said_ready(tmp_path, 'faithful_first'))


@pytest.mark.process
def test_a_process_whose_log_cannot_be_written_is_started_again(
    supervise: Any, tmp_path: Path
) -> None:
    supervisor = supervise('telling')
    wait_until(lambda: not supervisor.pids())
    shutil.rmtree(tmp_path / 'logs')
    (tmp_path / 'logs').write_text('no folder')
    notices = watched(supervisor, lambda notices: len(notices) == 2)
    assert 'ended unexpectedly with exit code 1 (its log cannot be read: ' in notices[0].text
    assert not notices[1].died


@pytest.mark.process
def test_a_signal_without_a_name_is_reported_by_its_number(supervise: Any, tmp_path: Path) -> None:
    supervisor = supervise('faithful_first')
    wait_until(lambda: said_ready(tmp_path, 'faithful_first'))
    os.kill(supervisor.pids()['faithful_first'], 40)
    notices = watched(supervisor, bool)
    assert 'faithful_first was killed by signal 40' in notices[0].text


@pytest.mark.process
def test_of_a_large_log_only_the_end_is_read(
    supervise: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('bt_executive.launching.supervisor.LAST_BYTES', 11)
    supervisor = supervise('crashing')
    notices = watched(supervisor, bool)
    assert '(s came off)' in notices[0].text


@pytest.mark.process
def test_logs_are_appended_to(supervise: Any, tmp_path: Path) -> None:
    log = Path(tmp_path, 'logs', 'faithful_first.log')
    log.parent.mkdir()
    log.write_text('before\n')
    supervise('faithful_first')
    wait_until(lambda: log.read_text().endswith('ready\n'))
    assert log.read_text().startswith('before\n')


@pytest.mark.process
def test_of_a_log_that_grows_for_weeks_the_latest_lines_are_kept(
    supervise: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('bt_executive.launching.supervisor.MAX_LOG_BYTES', 600)
    supervisor, log = supervise('counting'), tmp_path / 'logs' / 'counting.log'
    wait_until(lambda: 'line 99\n' in log.read_text())
    supervisor.watch()
    kept = log.read_text().splitlines()
    assert kept == [f'line {number}' for number in range(100 - len(kept), 100)]
    assert 200 < log.stat().st_size <= 300
    (tmp_path / 'go on').touch()
    wait_until(lambda: log.read_text().endswith('line 99\nthe end\n'))


def delay_after(restarts: RestartPolicy, now: float) -> float:
    delay = restarts.restart_delay(-9, now)
    assert delay is not None
    return delay


def test_the_delay_doubles_and_then_there_is_one_start_a_minute() -> None:
    restarts, now, delays = RestartPolicy(), 0.0, []
    for _ in range(MOST_DEATHS + 3):
        delays.append(delay_after(restarts, now))
        now += delays[-1] + 0.5  # it dies as soon as it has started
    assert delays == [FIRST_DELAY_S * 2**n for n in range(MOST_DEATHS)] + [WINDOW_S] * 3
    assert delay_after(restarts, now + 2 * WINDOW_S) == FIRST_DELAY_S, 'it had lived long enough'


def test_unusable_options_have_no_delay() -> None:
    restarts = RestartPolicy()
    assert restarts.restart_delay(UNUSABLE, 0.0) is None
    assert restarts.restart_delay(1, 0.0) == FIRST_DELAY_S


def test_old_deaths_are_forgiven() -> None:
    restarts = RestartPolicy()
    for second in range(MOST_DEATHS):
        restarts.restart_delay(1, float(second))
    assert restarts.restart_delay(None, WINDOW_S * 3) == FIRST_DELAY_S


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=60))
def test_never_more_starts_in_a_window_than_allowed(lives: list[float]) -> None:
    restarts, now, starts = RestartPolicy(), 0.0, []
    for lived_s in lives:
        now += lived_s
        now += delay_after(restarts, now)
        starts.append(now)
    for start in starts:
        assert sum(start - WINDOW_S < other <= start for other in starts) <= MOST_DEATHS
