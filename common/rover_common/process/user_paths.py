"""The user's folders, for temporary files and for what is kept, and paths that users name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
import os
from pathlib import Path
import pwd
import sys

from rover_common.errors import UsageError

FOLDER = 'bt_executive'  # below XDG_STATE_HOME, as the XDG base directory specification has it


def state_folder(environment: Mapping[str, str]) -> Path:
    """$XDG_STATE_HOME/bt_executive; relative values of the variable do not count."""
    named = Path(environment.get('XDG_STATE_HOME', ''))
    home = named if named.is_absolute() else home_folder(environment) / '.local' / 'state'
    return home / FOLDER


def home_folder(environment: Mapping[str, str]) -> Path:
    """$HOME, or without it the home folder of this user in the system's list of users.

    Raises:
        UsageError: Neither is there, as in a container with a user id of its own.
    """
    named = Path(environment.get('HOME', ''))
    if named.is_absolute():
        return named
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise UsageError(
            'This user has no home folder (HOME is not set): set HOME, or name a folder for what '
            'is kept in XDG_STATE_HOME.'
        ) from None


def user_cache(environment: Mapping[str, str]) -> Path:
    """Return $XDG_CACHE_HOME/bt_executive, or ~/.cache/bt_executive; it need not exist.

    Relative values of the variable do not count, as in `state_folder`. A user without a home
    folder has it in the environment that Python runs in: in /tmp it could be anybody's.
    """
    named = Path(environment.get('XDG_CACHE_HOME', ''))
    if named.is_absolute():
        return named / FOLDER
    try:
        return home_folder(environment) / '.cache' / FOLDER
    except UsageError:
        return Path(sys.prefix) / 'cache' / FOLDER


def temporary_folder(environment: Mapping[str, str]) -> Path:
    """Return this user's own folder among temporary files; it need not exist.

    tempfile chooses another place where the disk is full, at last the working folder, and a lock
    that is kept there would not be found.

    Raises:
        UsageError: No temporary folder can be written.
    """
    named = (environment.get(name, '') for name in ('TMPDIR', 'TEMP', 'TMP'))
    for each in (*named, '/tmp', '/var/tmp'):
        if os.path.isabs(each) and os.path.isdir(each) and os.access(each, os.W_OK | os.X_OK):
            return Path(each, f'{FOLDER}-{os.getuid()}')
    raise UsageError(
        'This user can write to no temporary folder (TMPDIR, /tmp or /var/tmp): set TMPDIR to one.'
    )


def given_path(text: str) -> Path:
    """Returns a path of the command line; the type of its options. `~` is the user's folder.

    A shell leaves `--run-dir=~/run` as it is.

    Raises:
        argparse.ArgumentTypeError: The text is empty, which pathlib takes for the working folder.
    """
    try:
        return named_path(not_empty(text))
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def path_argument(path: Path) -> str:
    """Return a path as the value of an option: argparse takes a leading dash for another one."""
    text = str(path)
    return f'./{text}' if text.startswith('-') else text


def not_empty(text: str) -> str:
    """Returns a name of a file or a folder; the type of options that take another form, too.

    Raises:
        argparse.ArgumentTypeError: The text is empty: a variable of a shell that is not set.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError(f'{text!r} names no file or folder')
    return text


def named_path(text: str) -> Path:
    """Returns a path that the configuration or the command line names.

    Raises:
        UsageError: Its `~` is of a user who is not known here, or the text is no path.
    """
    if '\0' in text:
        raise UsageError(f'{text!r} names no file or folder')
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f'{text!r} names no file or folder: {error}') from None
