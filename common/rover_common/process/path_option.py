"""Paths that users name: `~` is the user's folder, and no text is no path."""

from __future__ import annotations

import argparse
from pathlib import Path

from rover_common.errors import UsageError


def given_path(text: str) -> Path:
    """Returns a path of the command line; the type of its options. `~` is the user's folder.

    A shell leaves `--run-dir=~/run` as it is.

    Raises:
        argparse.ArgumentTypeError: The text is empty, which pathlib takes for the working folder.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError(f'{text!r} names no file or folder')
    try:
        return named_path(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


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
