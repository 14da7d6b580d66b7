"""Claims: no node of ours runs twice with one name in one ROS domain of this machine.

Two executives of one name would drive one robot, and a console would talk with the wrong one. A
claim is a lock on a file that the kernel lets go when its process ends, whatever ended it, so a
node that was killed can be started again at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
import fcntl
import os
from pathlib import Path
import tempfile
from typing import TextIO

from rover_common.errors import UsageError
from rover_common.process.private_folder import open_own_file
from rover_common.ros.ros_arguments import domain_of, namespace_of

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

    Args:
        full_name: Of the node, with its namespace.
        domain: ROS domain id.

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
    folder = Path(tempfile.gettempdir()) / f'bt_executive-{os.getuid()}'
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
