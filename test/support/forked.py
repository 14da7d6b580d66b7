"""`--forks N`: the tests are collected once, and run in N processes that are forked then.

With pytest-xdist each process imports and collects everything by itself: twenty seconds of
computing each. What the processes share otherwise is as there: the variables
`PYTEST_XDIST_WORKER` and `PYTEST_XDIST_WORKER_COUNT`, and the fixtures `worker_id` and
`testrun_uid`.

A process takes one group of tests after the other: those of a file, or some of them where they
share no fixture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection
import os
from selectors import EVENT_READ, DefaultSelector
import signal
import traceback
from typing import Any, NoReturn
import uuid

import pytest

TOGETHER = {'class', 'module', 'package'}  # scopes of fixtures for which tests stay together
MOST, MOST_OF_SYSTEMS = 24, 2  # tests of a group, where nothing keeps them together
Group = list[int]
Passed = tuple[int, tuple[str, int | None, str], dict[str, float]]  # number, location and times
begin_hooks: list[Callable[[], object]] = []  # called first of all in each process
end_hooks: list[Callable[[], object]] = []  # called last of all in each process, if it can


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--forks`."""
    parser.addoption(
        '--forks', type=int, default=0, metavar='N', help='run the tests in N forked processes'
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Runs the tests, if they are to be run here."""
    if session.config.option.forks < 1 or session.config.option.collectonly:
        return None
    if session.testsfailed and not session.config.option.continue_on_collection_errors:
        raise session.Interrupted(f'{session.testsfailed} errors during collection')
    Workers(session).run()
    return True


def groups_of(items: Sequence[pytest.Item]) -> Iterator[Group]:
    """The numbers of tests that one process runs in a row, in the order of the suite."""
    for _, of_file in groupby(range(len(items)), key=lambda number: items[number].path):
        numbers = list(of_file)
        found = [items[number] for number in numbers]
        system = any(item.get_closest_marker('system') for item in found)
        size = MOST_OF_SYSTEMS if system else MOST
        size = len(numbers) if any(map(_shares, found)) else size
        yield from (numbers[begin : begin + size] for begin in range(0, len(numbers), size))


def _shares(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return True
    definitions = item._fixtureinfo.name2fixturedefs.values()
    return any(each.scope in TOGETHER for several in definitions for each in several)


@dataclass
class Worker:
    """One of the processes. `running`: the test that it runs; `left`: those it runs then."""

    name: str
    pid: int
    line: Connection
    running: int | None = None
    left: Group = field(default_factory=list)


class Workers:
    """The side that hands out tests and reports what became of them."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._hook = session.config.hook
        self._groups = deque(groups_of(session.items))
        self._workers: dict[Connection, Worker] = {}
        self._lines = DefaultSelector()
        self._run = uuid.uuid4().hex

    def run(self) -> None:
        """Returns when every test has been run.

        Raises:
            pytest.Session.Failed: So many have failed as `--maxfail` allows.
        """
        # One folder for all, below which each process has its own.
        factory: Any = getattr(self._session.config, '_tmp_path_factory')  # noqa: B009
        factory.getbasetemp()
        try:
            for number in range(min(self._session.config.option.forks, len(self._groups))):
                self._start(f'gw{number}')
            while self._workers:
                for key, _ in self._lines.select():
                    self._hear(key.data)
                if self._session.shouldfail:
                    raise self._session.Failed(self._session.shouldfail)
        finally:
            for worker in self._workers.values():
                os.kill(worker.pid, signal.SIGKILL)
                os.waitpid(worker.pid, 0)

    def _start(self, name: str) -> None:
        line, theirs = Pipe()
        pid = os.fork()
        if not pid:
            for each in (line, *self._workers):  # else one that lost this side would not notice
                each.close()
            _work(self._session, name, self._run, theirs)
        theirs.close()
        worker = self._workers[line] = Worker(name, pid, line)
        self._lines.register(line, EVENT_READ, worker)

    def _hear(self, worker: Worker) -> None:
        try:
            kind, value, told = worker.line.recv()
        except (EOFError, ConnectionError):
            self._bury(worker)
            return
        for each in told:
            self._hook.pytest_runtest_logreport(report=self._report_of(each))
        if kind == 'next':
            group = self._groups.popleft() if self._groups else []
            worker.left += group
            worker.line.send(group)
        elif kind == 'begin':
            worker.running = value
            worker.left.remove(value)

    def _report_of(self, told: Passed | dict[str, Any]) -> pytest.TestReport:
        if isinstance(told, dict):
            hook, config = self._hook, self._session.config
            report: pytest.TestReport = hook.pytest_report_from_serializable(
                config=config, data=told
            )
            return report
        number, location, times = told
        item = self._session.items[number]
        more: dict[str, Any] = {'keywords': dict.fromkeys(item.keywords, 1), **times}
        return pytest.TestReport(
            item.nodeid, location, outcome='passed', longrepr=None, when='call', **more
        )

    def _bury(self, worker: Worker) -> None:
        """A process has ended. If a test was running, the test has ended it."""
        del self._workers[worker.line]
        self._lines.unregister(worker.line)
        worker.line.close()
        code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
        if not code or worker.running is None:
            assert not code, f'a process of the suite ended with {code} before its first test'
            return
        item = self._session.items[worker.running]
        words = f'{worker.name}, which ran this test, ended with {code}'
        report = pytest.TestReport(item.nodeid, item.location, {}, 'failed', words, 'call')
        self._hook.pytest_runtest_logreport(report=report)
        if worker.left:
            self._groups.appendleft(worker.left)
        self._start(worker.name)


def _work(session: pytest.Session, name: str, run: str, line: Connection) -> NoReturn:
    """Runs tests in a process of its own until there are none left."""
    code = 1
    try:
        _settle(session, name, run)
        for begin in begin_hooks:
            begin()
        Tests(session, line).run()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _end(code)


def _end(code: int) -> NoReturn:
    """Ends this process with what its tests have started. No fixture is torn down here."""
    try:
        for end in end_hooks:
            end()
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        os._exit(code)


def _settle(session: pytest.Session, name: str, run: str) -> None:
    config: Any = session.config
    count = config.option.forks
    os.environ['PYTEST_XDIST_WORKER'] = name
    os.environ['PYTEST_XDIST_WORKER_COUNT'] = str(count)
    config.workerinput = {'workerid': name, 'workercount': count, 'testrunuid': run}
    for each in ('terminalreporter', 'junitxml'):  # reports are the other side's
        if config.pluginmanager.has_plugin(each):
            config.pluginmanager.unregister(name=each)
    capture = config.pluginmanager.getplugin('capturemanager')
    if capture.is_globally_capturing():  # into a file of its own
        capture.stop_global_capturing()
        capture.start_global_capturing()
    factory = config._tmp_path_factory
    base = factory.getbasetemp() / f'{name}-{os.getpid()}'
    base.mkdir()
    factory._basetemp = base


class Tests:
    """The side that runs them; a plugin that passes the reports on."""

    def __init__(self, session: pytest.Session, line: Connection) -> None:
        self._session = session
        self._line = line
        options = session.config.option
        self._is_reported = bool(options.xmlpath or options.durations)
        self._running = -1
        self._told: list[Passed | dict[str, Any]] = []
        session.config.pluginmanager.register(self, 'forked tests')

    def run(self) -> None:
        """Runs one group after the other."""
        group = self._next()
        while group:
            after: Group = []
            for number, following in zip(group, [*group[1:], None], strict=True):
                if following is None:
                    after = self._next()
                    following = after[0] if after else None
                self._run(number, following)
            group = after
        self._say('end')

    def _say(self, kind: str, number: int | None = None) -> None:
        """Passes on what came of tests, too: one message for each test is enough."""
        self._line.send((kind, number, self._told))
        self._told.clear()

    def _next(self) -> Group:
        self._say('next')
        group: Group = self._line.recv()
        return group

    def _run(self, number: int, following: int | None) -> None:
        self._running = number
        self._say('begin', number)
        items = self._session.items
        after = None if following is None else items[following]
        items[number].config.hook.pytest_runtest_protocol(item=items[number], nextitem=after)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Passes on what became of a test; that a fixture passed is shown by reports alone."""
        is_plain = type(report) is pytest.TestReport and not hasattr(report, 'wasxfail')
        if report.passed and is_plain and not (report.sections or report.user_properties):
            if report.when == 'call':
                times = {name: getattr(report, name) for name in ('duration', 'start', 'stop')}
                self._told.append((self._running, report.location, times))
                return
            if not self._is_reported:
                return
        config = self._session.config
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        self._told.append(data)
        if not report.passed:  # may be the reason why this process ends now
            self._say('told')
