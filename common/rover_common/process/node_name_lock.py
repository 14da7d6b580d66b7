"""Claims: no node of ours runs twice with one name in one ROS domain of this machine.

Two executives of one name would drive one robot, and a console would talk with the wrong one. A
claim is a lock on a file that the kernel lets go when its process ends, whatever ended it, so a
node that was killed can be started again at once. The file is in a folder of this user's own in a
place where everybody may write, such as /tmp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
import fcntl
import os
from pathlib import Path
import stat
from typing import TextIO

from rover_common.errors import UsageError
from rover_common.process.user_paths import temporary_folder
from rover_common.ros.ros_arguments import domain_of, namespace_of

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OPEN_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_own_file(folder: Path, name: str) -> int:
    """Opens a file of a folder that is this user's alone, for reading and writing.

    Folder and file are made if they are not there. The content stays as it is. Another user could
    have made the folder, or a link in its place, to have files of ours written elsewhere: so
    nothing is followed and nothing is believed that is not ours alone.

    Returns:
        The file descriptor.

    Raises:
        UsageError: Folder or file is a link, of another kind, or another user's.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(folder, OPEN_FOLDER)
    except OSError as error:
        raise _unusable(folder, error.strerror) from None
    try:
        _check_owner(descriptor, folder)
        return _open_file(descriptor, folder, name)
    finally:
        os.close(descriptor)


def _check_owner(descriptor: int, folder: Path) -> None:
    found = os.fstat(descriptor)
    if found.st_uid != os.getuid():
        raise _unusable(folder, f'it belongs to user {found.st_uid}')
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.fchmod(descriptor, 0o700)


def _open_file(folder_descriptor: int, folder: Path, name: str) -> int:
    try:
        descriptor = os.open(name, OPEN_FILE, 0o600, dir_fd=folder_descriptor)
    except OSError as error:
        raise _unusable(folder / name, error.strerror) from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != os.getuid():
        os.close(descriptor)
        raise _unusable(folder / name, 'it is not a file of this user alone')
    return descriptor


def _unusable(path: Path, why: str | None) -> UsageError:
    return UsageError(
        f'{str(path)!r} cannot be used for the locks of the nodes ({why}): remove it, or name '
        'another temporary folder with TMPDIR.'
    )


PID_LENGTH = 20  # no shorter number leaves digits of a longer one behind


def holder_of(file: TextIO) -> str:
    """Locks the file until it is closed; empty, or the process that holds it already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return file.read().strip() or 'unknown'
    return ''


def sign(file: TextIO) -> None:
    """Writes this process into a file that it has locked.

    A full disk takes no number; the lock holds without.
    """
    with suppress(OSError):
        os.pwrite(file.fileno(), f'{os.getpid():<{PID_LENGTH}}'.encode(), 0)


# How to run beside a stack of the same names.
ELSEWHERE = (
    'set another ROS_DOMAIN_ID, or choose a namespace '
    '(with ros2 launch namespace:=rover_2, else --ros-args -r __ns:=/rover_2).'
)


def lock_name(full_name: str, domain: int) -> TextIO:
    """Claims a node's name for this process; holds as long as the returned file is open.

    Raises:
        UsageError: Another process holds it.
    """
    file = _locked(full_name, domain)
    sign(file)
    return file


def check_names_are_free(
    names: Sequence[str], arguments: Sequence[str], environment: Mapping[str, str]
) -> None:
    """Check that nodes of these names can be started with these ROS arguments.

    Raises:
        UsageError: One of them runs already.
    """
    space = namespace_of(arguments)
    domain = domain_of(environment)
    for name in names:
        _locked(f'{space.rstrip("/")}/{name}', domain).close()


def _locked(full_name: str, domain: int) -> TextIO:
    folder = temporary_folder(os.environ)
    name = f'{domain}.{full_name.strip("/").replace("/", ".")}'
    file = os.fdopen(open_own_file(folder, name), 'r+', encoding='utf-8', errors='replace')
    holder = holder_of(file)
    if holder:
        file.close()
        raise UsageError(_already(full_name, domain, holder))
    return file


def _already(full_name: str, domain: int, holder: str) -> str:
    return (
        f'{full_name} runs already in ROS domain {domain} on this machine (process {holder}): end '
        f'it, or {ELSEWHERE}'
    )
