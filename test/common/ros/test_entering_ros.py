"""What a process sets before it enters ROS: transport, log folder, code of messages, threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
import gc
import mmap
import os
from pathlib import Path
import subprocess
import sys
from types import SimpleNamespace
import weakref

from domains import next_domain
import psutil
import pytest
from spinning import spun_node
from std_msgs.msg import String
from waiting import wait_until

from rover_common.errors import UsageError
from rover_common.ros.entering_ros import (
    RESOURCES,
    SWITCH_S,
    TRACER,
    check_middleware,
    check_shared_memory,
    choose_log_folder,
    shorten_switch_interval,
)

MESSAGES, LETTERS = 50, 50_000


@pytest.mark.ros
def test_two_contexts_of_a_process_talk_as_two_processes_do() -> None:
    """Fast DDS's own way within a process can stand still for ever when a publisher ends."""
    domain, got = next_domain(), list[str]()
    with spun_node('reader', domain) as reader, spun_node('writer', domain) as writer:
        reader.create_subscription(String, 'letters', lambda text: got.append(text.data), 10)
        publisher = writer.create_publisher(String, 'letters', 10)
        wait_until(lambda: publisher.get_subscription_count(), 'the reader is known')
        before = sent_on_this_machine()
        for number in range(MESSAGES):
            publisher.publish(String(data='x' * LETTERS))
            wait_until(partial(has, got, number + 1), f'message {number}')
    assert sent_on_this_machine() - before > MESSAGES * LETTERS


def has(got: list[str], count: int) -> bool:
    return len(got) == count


def sent_on_this_machine() -> int:
    """Bytes that the kernel has carried from process to process, or within one."""
    return int(psutil.net_io_counters(pernic=True)['lo'].bytes_sent)


class Garbage:
    """Refers to itself, so only the garbage collector finds it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(scope='module')
def as_before() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
@pytest.mark.usefixtures('as_before')
def test_a_thread_that_waits_gets_its_turn_soon() -> None:
    shorten_switch_interval()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)


@pytest.mark.slow
@pytest.mark.usefixtures('as_before')
def test_what_is_there_is_left_out_of_every_later_collection() -> None:
    lasting = Garbage()
    shorten_switch_interval()
    assert not any(each is lasting for each in gc.get_objects())


@pytest.mark.slow
@pytest.mark.usefixtures('as_before')
def test_garbage_of_before_is_gone_and_garbage_of_later_goes() -> None:
    before = weakref.ref(Garbage())
    shorten_switch_interval()
    assert before() is None
    later = weakref.ref(Garbage())
    gc.collect()
    assert later() is None


USE_A_MESSAGE = (
    'from rclpy.serialization import serialize_message; from std_msgs.msg import String; '
    'assert serialize_message(String(data="x"))'
)
LEAVE_OUT = (
    'from rover_common.ros.entering_ros import leave_out_code_generator; '
    'leave_out_code_generator()'
)
GENERATE = 'from rosidl_generator_py.generate_py_impl import generate_py'
IS_IT_LOADED = 'import sys; print("lark" in sys.modules)'


@pytest.mark.process
@pytest.mark.parametrize(
    ('steps', 'loaded'),
    [
        pytest.param([USE_A_MESSAGE, LEAVE_OUT], True, id='as ROS has it, and too late'),
        pytest.param([LEAVE_OUT, LEAVE_OUT, USE_A_MESSAGE], False, id='left out twice'),
        pytest.param([LEAVE_OUT, USE_A_MESSAGE, GENERATE], True, id='wanted later'),
    ],
)
def test_code_generator(steps: list[str], loaded: bool) -> None:
    command = [sys.executable, '-c', '\n'.join([*steps, IS_IT_LOADED])]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str(loaded)


@pytest.mark.parametrize('variable', ['ROS_LOG_DIR', 'ROS_HOME'])
def test_a_log_folder_that_was_chosen_stays(variable: str) -> None:
    environment = {variable: '/mine'}
    choose_log_folder(environment)
    assert environment == {variable: '/mine'}


# Where pathlib raises OSError, as for the home of another user, which may not be entered.
UNREACHABLE = 'x' * 300


@pytest.mark.parametrize('home', [None, '', '/proc/none', 'file', UNREACHABLE])
def test_without_a_home_to_write_to_logs_go_to_a_temporary_folder(
    home: str | None, tmp_path: Path
) -> None:
    (tmp_path / 'file').touch()
    environment = {} if home is None else {'HOME': str(tmp_path / home) if home else ''}
    choose_log_folder(environment)
    assert 'bt_executive-' in environment['ROS_LOG_DIR']


def test_a_home_that_can_be_written_is_left_to_ros(tmp_path: Path) -> None:
    environment = {'HOME': str(tmp_path)}
    choose_log_folder(environment)
    assert environment == {'HOME': str(tmp_path)}


def test_a_middleware_that_is_not_installed_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a distribution that is sourced, and of the wheels."""
    monkeypatch.setattr('sys.prefix', str(tmp_path / 'venv'))
    sourced = {'AMENT_PREFIX_PATH': f'{tmp_path}/ros:{tmp_path}/none:{tmp_path}/{UNREACHABLE}'}
    wanted = {'RMW_IMPLEMENTATION': 'rmw_cyclonedds_cpp'}
    check_middleware(wanted)  # nothing says what is installed
    for name in ('rmw_fastrtps_cpp', 'rmw_implementation'):
        (tmp_path / 'venv' / RESOURCES / name).mkdir(parents=True)
    (tmp_path / 'ros' / RESOURCES / 'rmw_cyclonedds_cpp').mkdir(parents=True)
    check_middleware(wanted | sourced)
    check_middleware({})
    with pytest.raises(UsageError, match=r"is 'rmw_cyclonedds_cpp'.* it to rmw_fastrtps_cpp[.]"):
        check_middleware(wanted)


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shared memory, on a machine with ROS's wheels and their tracer."""
    tracer = tmp_path / 'site' / TRACER.replace('*', '.so')
    tracer.parent.mkdir(parents=True)
    tracer.touch()
    monkeypatch.setattr('sys.path', ['', str(tmp_path / 'site')])
    folder = tmp_path / 'shm'
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ('pages', 'files', 'is_full'),
    [
        (0, (), True),
        (1, (), True),
        (2, (), False),
        (0, ('6', f'6-{os.getuid()}'), False),
        (0, ('6', f'6-{os.getuid()}1'), True),  # the second one is another user's
        (1, ('6',), False),
        (None, (), False),  # without a limit
    ],
)
def test_a_full_shared_memory_is_one_sentence_where_ros_would_die(
    shared: Path,
    pages: int | None,
    files: tuple[str, ...],
    is_full: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in files:
        with (shared / f'lttng-ust-wait-{name}').open('wb') as file:
            file.write(bytes(mmap.PAGESIZE))
            os.fsync(file.fileno())
    room = SimpleNamespace(
        f_blocks=0 if pages is None else 9, f_bavail=pages or 0, f_frsize=mmap.PAGESIZE
    )
    monkeypatch.setattr('os.statvfs', lambda _: room)
    with pytest.raises(UsageError, match='--shm-size') if is_full else nullcontext():
        check_shared_memory(shared)


def test_without_shared_memory_or_tracer_nothing_is_refused(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_shared_memory(shared / 'none')
    full = SimpleNamespace(f_blocks=9, f_bavail=0, f_frsize=mmap.PAGESIZE)
    monkeypatch.setattr('os.statvfs', lambda _: full)
    monkeypatch.setattr('sys.path', ['', str(shared)])
    check_shared_memory(shared)
