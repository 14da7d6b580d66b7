"""Paths on the command line: `~` is the user's folder, and no text is no path."""

from __future__ import annotations

import argparse
from pathlib import Path


def given_path(text: str) -> Path:
    """Returns a path of the command line; the type of its options. `~` is the user's folder.

    A shell leaves `--run-dir=~/run` as it is.

    Raises:
        argparse.ArgumentTypeError: The text is empty, which pathlib takes for the working folder.
    """
    if not text.strip() or '\0' in text:
        raise argparse.ArgumentTypeError(f'{text!r} names no file or folder')
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # of a user who is not known here
        raise argparse.ArgumentTypeError(f'{text!r} names no file or folder: {error}') from None
