"""A folder of this user's own in a place where everybody may write, such as /tmp.

Another user could have made the folder, or a link in its place, to have files of ours written
elsewhere. So nothing is followed and nothing is believed that is not ours alone.
"""

from __future__ import annotations

import os
from pathlib import Path
import stat

from rover_common.errors import UsageError

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OPEN_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_own_file(folder: Path, name: str) -> int:
    """Opens a file of a folder that is this user's alone, for reading and writing.

    Folder and file are made if they are not there. The content stays as it is.

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
