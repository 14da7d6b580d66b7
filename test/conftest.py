"""For every test: this machine only, for ROS and for models, and a ROS domain of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator
import gc
from itertools import count
import os
from pathlib import Path
import shutil
import signal
import sys
import tempfile

from domains import forget_domains, next_domain
from forked import begin_hooks
from garbage import (
    collect_seldom,
    collect_what_is_new,
    spare_what_lives,
    sparing_what_is_loaded,
)
from hypothesis import HealthCheck, settings
from memory_folder import keep_temporary_files_in_memory
import psutil
import pure
import pytest
from read_once import keep_what_is_shipped
from source_facts import sources  # noqa: F401  # a fixture
from warm import become_warm, load_programs, load_what_programs_share, prepare_programs

from rover_common.ros.entering_ros import choose_transport

keep_temporary_files_in_memory()
keep_what_is_shipped()
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['BT_EXECUTIVE_LOOPBACK_ONLY'] = '1'  # no test asks a hosted model
# As in our processes, from the first test on: Fast DDS reads it once. With its own default, two
# contexts of a test process, one of which ends, may wait for each other for ever.
choose_transport(os.environ)
os.environ['PYDANTIC_DISABLE_PLUGINS'] = (
    '__all__'  # each process would look for them in all it has
)
os.environ['ROS_DOMAIN_ID'] = str(next_domain())
# What a shell script runs in its background is deaf to Ctrl-C, and so would be what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# What runs below `nohup` is deaf to the end of a terminal.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# What outlives an executive is no other test's, and never goes into the user's own folder.
STATE = Path(tempfile.gettempdir()) / f'bt_executive-tests-{os.getpid()}'
os.environ['XDG_STATE_HOME'] = str(STATE / 'shared')  # of fixtures that several tests share

# A failed assert in test/support tells its values, too.
SUPPORT = {path.stem for path in (Path(__file__).parent / 'support').glob('*.py')}
pytest.register_assert_rewrite(*(SUPPORT - sys.modules.keys()))

# How long drawing an example takes says something of the machine alone. `make steady` draws more.
ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The suite is the same each time, so what lands today passes tomorrow; steady runs look further.
settings.register_profile('suite', ANY_MACHINE, max_examples=15, derandomize=True)
settings.register_profile('thorough', ANY_MACHINE, max_examples=60)
settings.load_profile('suite')

STATES = count(1)


@pytest.fixture(autouse=True)
def own_state() -> Iterator[None]:
    """Gives the test a folder for state of its own, which is made when something is kept."""
    shared = os.environ['XDG_STATE_HOME']
    worker = os.environ.get('PYTEST_XDIST_WORKER', '')
    os.environ['XDG_STATE_HOME'] = f'{STATE}/{worker}-{next(STATES)}'
    yield
    os.environ['XDG_STATE_HOME'] = shared


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Keeps garbage collections short: all that is loaded here stays until the end.

    For the whole suite, what programs share is loaded before the process that forks them is made,
    which need not load it again.
    """
    options = session.config.option
    with sparing_what_is_loaded():
        if options.forks and not options.markexpr:
            load_what_programs_share()
        prepare_programs()
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Before the first test, and before there are threads and ROS: see `warm` and `forked`."""
    starts = any(item.get_closest_marker(name) for item in session.items for name in pure.MARKERS)
    if starts:
        load_programs()
        load_what_programs_share()
        spare_what_lives()
    if session.config.option.forks:
        begin_hooks.append(_begin_process)
        begin_hooks.extend([become_warm] if starts else [])  # programs collect as ever
        begin_hooks.append(collect_seldom)
    elif starts:
        become_warm()
    return (yield)


def _begin_process() -> None:
    """Gives a process of the suite what is its own."""
    forget_domains()
    os.environ['ROS_DOMAIN_ID'] = str(next_domain())
    os.environ['XDG_STATE_HOME'] = str(STATE / f'shared-{os.environ["PYTEST_XDIST_WORKER"]}')


def pytest_sessionfinish() -> None:
    """Removes what was kept."""
    shutil.rmtree(STATE, ignore_errors=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Lets nodes that a test or a file has left behind go.

    A node in a cycle of references keeps its participant alive until the garbage is collected.
    Later tests would find its topics in the graph; and on one machine Fast DDS finds 32
    participants of a domain at the most, so that they would wait for each other in vain.
    """
    is_ros = item.get_closest_marker('ros') is not None
    before = _sockets() if is_ros else 0
    result = yield
    if is_ros:
        is_last = nextitem is None or nextitem.path != item.path
        if _sockets() > (0 if is_last else before):
            (collect_what_is_new if is_last else gc.collect)()
    return result


def _sockets() -> int:
    """How many of UDP this process has: five for each participant of a ROS graph."""
    return len(psutil.Process().net_connections('udp'))
