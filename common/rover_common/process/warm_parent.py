"""The warm parent: a process that has loaded what its children load, and forks them.

It is forked itself, from a process that has no thread and no ROS yet, and it does nothing but
fork: so no child inherits a thread, a lock that is held, or a DDS participant.

Each child is forked twice. The process in between ends at once, and the kernel gives the child to
the nearest subreaper, which whoever asked for it is at that moment. So it is a child of whoever
asked, as if it had been started by `subprocess`: `waitpid` gives its exit code, and the warm
parent may die without consequences; the next one is started from nothing.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
import ctypes
from dataclasses import asdict, dataclass
import faulthandler
import gc
import json
import mmap
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import traceback
from typing import Any, NoReturn

from rover_common.process.free_memory import share_memory
from rover_common.process.standard_streams import accept_every_text

PR_SET_MM, PR_SET_MM_MAP = 35, 14
NO_FILE = 0xFFFFFFFF
# Of `struct prctl_mm_map`, with their fields of /proc/self/stat counted from 1; 0: none.
ADDRESSES = {
    **{'start_code': 26, 'end_code': 27, 'start_data': 45, 'end_data': 46, 'start_brk': 47},
    **{'brk': 0, 'start_stack': 28, 'arg_start': 48, 'arg_end': 49},
    **{'env_start': 50, 'env_end': 51},
}
_kept: list[mmap.mmap] = []  # the kernel reads it as long as the process exists


class _MemoryMap(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in ADDRESSES),
        ('auxv', ctypes.c_void_p),
        ('auxv_size', ctypes.c_uint32),
        ('exe_fd', ctypes.c_uint32),
    )


def show_command_line(arguments: Sequence[str]) -> bool:
    """Show these arguments in `ps`, `pgrep` and /proc; False if this kernel does not allow it.

    A process that was forked and runs another program than its parent still shows the parent's
    command line, and whoever looks for a node by its module would not find it. The kernel lets
    every process say where its own is (made for checkpoints; no privilege is needed).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    text = b''.join(os.fsencode(argument) + b'\0' for argument in arguments)
    # Private: of shared memory the kernel shows nothing.
    kept = mmap.mmap(-1, len(text), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    kept[:] = text
    with open('/proc/self/stat', 'rb') as file:
        fields = file.read().rpartition(b')')[2].split()
    found = {each: int(fields[field - 3]) for each, field in ADDRESSES.items() if field}
    libc.sbrk.restype = ctypes.c_void_p
    begin = ctypes.addressof(ctypes.c_char.from_buffer(kept))
    found |= {'brk': libc.sbrk(0), 'arg_start': begin, 'arg_end': begin + len(text)}
    shown = _MemoryMap(**found, exe_fd=NO_FILE)
    size = ctypes.c_size_t(ctypes.sizeof(shown))
    refused = libc.prctl(PR_SET_MM, PR_SET_MM_MAP, ctypes.byref(shown), size, 0)
    if not refused:
        _kept.append(kept)
    return not refused


PATIENCE_S = 20.0  # for one fork; a parent that is suspended longer is replaced
PR_SET_CHILD_SUBREAPER = 36
LENGTH, ANSWER = struct.Struct('!I'), struct.Struct('!i')
FLUSH_FAILED = 120  # the exit code of Python
DONE = b'.'
MODULE = 'rover_common.process.warm_parent'


@dataclass(frozen=True)
class Program:
    """A program as `python -m module arguments…`, in a session of its own."""

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str

    @property
    def command(self) -> list[str]:
        """The command line that starts the same from nothing."""
        return [sys.executable, '-m', self.module, *self.arguments]


class WarmParent:
    """Forks programs.

    Args:
        load: Is called in the warm parent before its first fork: imports what all need.
    """

    def __init__(self, load: Callable[[], object] = lambda: None) -> None:
        self._turn = threading.Lock()
        self._patience_s = PATIENCE_S
        self._line, child_socket = socket.socketpair()
        self._pid = os.fork()
        if not self._pid:
            self._line.close()
            _live(child_socket, load)
        child_socket.close()

    def start(self, program: Program, stdin: int, stdout: int, stderr: int) -> int:
        """Forks a program with these file descriptors; returns its process id.

        It is a child of this process.

        Raises:
            OSError: The system refuses another process.
        """
        streams = (stdin, stdout, stderr)
        with self._turn:
            try:
                return self._ask(program, streams)
            except (ConnectionError, TimeoutError):
                self._replace()
                return self._ask(program, streams)

    def close(self) -> None:
        """End the warm parent; its children continue."""
        self._line.close()
        self._bury()

    def _ask(self, program: Program, streams: Sequence[int]) -> int:
        self._line.settimeout(self._patience_s)
        order = json.dumps(asdict(program)).encode()
        with _adopting():
            socket.send_fds(self._line, [LENGTH.pack(len(order))], list(streams))
            self._line.sendall(order)
            (pid,) = ANSWER.unpack(receive(self._line, ANSWER.size))
            receive(self._line, len(DONE))  # the process in between has ended
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return int(pid)

    def _replace(self) -> None:
        """Starts another one from nothing: this process may have threads by now.

        The one before is buried last: if the system refuses another, its id is nobody else's.
        """
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        line, child_socket = socket.socketpair()
        with child_socket:
            command = [sys.executable, '-m', MODULE, str(child_socket.fileno())]
            try:
                pid = subprocess.Popen(command, pass_fds=[child_socket.fileno()]).pid
            except OSError:
                line.close()
                raise
        self._line.close()
        self._bury()
        self._patience_s = PATIENCE_S
        self._line, self._pid = line, pid

    def _bury(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


@contextmanager
def _adopting() -> Iterator[None]:
    """Makes this process the one to which orphans below it are given, until the end."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def receive(line: socket.socket, size: int) -> bytes:
    """Returns so many bytes.

    Raises:
        ConnectionError: The other side is gone.
    """
    parts = bytearray()
    while len(parts) < size:
        part = line.recv(size - len(parts))
        if not part:
            raise ConnectionError
        parts += part
    return bytes(parts)


def _live(line: socket.socket, load: Callable[[], object]) -> NoReturn:
    """Fork on request until the requesting process has ended."""
    try:
        prepare_to_fork(MODULE, load, line.fileno())
        with suppress(ConnectionError):
            while True:
                _fork_one(line)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def prepare_to_fork(module: str, load: Callable[[], object], *kept: int) -> None:
    """Makes this process, just forked, one that forks programs.

    Args:
        module: The process is shown as this one.
        load: Imports what all programs need.
        kept: File descriptors that stay open, with the standard streams.
    """
    os.setsid()  # a Ctrl-C in the terminal is not for it
    show_command_line([sys.executable, '-m', module])
    _let_go_of_files(*kept)
    load()
    _settle_here()
    share_memory()


def _settle_here() -> None:
    """Makes once what each child would make: every page that it writes to is copied."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    atexit._clear()
    if faulthandler.is_enabled():
        faulthandler.disable()


def _let_go_of_files(*kept: int) -> None:
    """Close the ends of pipes that a child must not keep open.

    The numbers stay taken: an object that still has one may close it later.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir('/proc/self/fd')):
        if number > 2 and number not in (*kept, nothing):
            with suppress(OSError):  # the one by which the folder was read
                os.fstat(number)
                os.dup2(nothing, number, inheritable=False)


def _fork_one(line: socket.socket) -> None:
    head, streams, _, _ = socket.recv_fds(line, LENGTH.size, 3)
    if not head:
        raise ConnectionError
    (length,) = LENGTH.unpack(head)
    order = json.loads(receive(line, length))
    between = os.fork()
    if not between:
        _hand_over(line, order, streams)
    for each in streams:
        os.close(each)
    os.waitpid(between, 0)
    line.sendall(DONE)


def _hand_over(line: socket.socket, order: Mapping[str, Any], streams: Sequence[int]) -> NoReturn:
    """Forks the program and ends."""
    here = os.getpid()
    try:
        answer = os.fork()
    except OSError as error:
        answer = -(error.errno or 1)
    if answer:
        line.sendall(ANSWER.pack(answer))
        os._exit(0)
    line.close()
    while os.getppid() == here:  # until it is the child of whoever asked
        time.sleep(0.001)
    become(Program(**order), streams)


def become(program: Program, streams: Sequence[int]) -> NoReturn:
    """Runs a program in this process, just forked, with these streams; ends with its code."""
    code = 1
    try:
        _settle(program, streams)
        code = _run(program)
        threading._shutdown()  # type: ignore[attr-defined]  # as at the end of each Python
        atexit._run_exitfuncs()
        code = _flush(code)
    except BaseException:
        traceback.print_exc()
    finally:
        # No destructors: they would touch, and so copy, all that is shared.
        os._exit(code)


def _settle(program: Program, streams: Sequence[int]) -> None:
    """Makes everything what a process finds that was started from nothing."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(program.environment)
    _open_streams()  # what fails from here on is written where the program writes
    os.chdir(program.folder)
    show_command_line(program.command)
    paths = filter(None, program.environment.get('PYTHONPATH', '').split(os.pathsep))
    sys.path[:0] = [path for path in paths if path not in sys.path]
    gc.enable()


def _open_streams() -> None:
    """Standard streams with the encoding of the environment."""
    encoding, _, errors = os.environ.get('PYTHONIOENCODING', '').partition(':')
    through = bool(os.environ.get('PYTHONUNBUFFERED'))
    for number, name in enumerate(('stdin', 'stdout', 'stderr')):
        made = open(  # noqa: SIM115  # as long as the process exists
            number,
            'r' if number == 0 else 'w',
            encoding=encoding or sys.getfilesystemencoding(),
            errors='backslashreplace' if number == 2 else errors or 'strict',
            closefd=False,
        )
        made.reconfigure(
            line_buffering=number == 2 or made.isatty(), write_through=through and number > 0
        )
        setattr(sys, name, made)
        setattr(sys, f'__{name}__', made)


def _run(program: Program) -> int:
    """Runs it as `python -m` does; returns the exit code."""
    sys.argv = [program.module, *program.arguments]
    sys.modules.pop(program.module if '.' in program.module else f'{program.module}.__main__', '')
    try:
        runpy.run_module(program.module, run_name='__main__', alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _flush(code: int) -> int:
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):
        return code or FLUSH_FAILED
    return code


if __name__ == '__main__':
    accept_every_text()
    _live(socket.socket(fileno=int(sys.argv[1])), lambda: None)
