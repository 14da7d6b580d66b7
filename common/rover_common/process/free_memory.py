"""Gives memory that is free back to the system, where the C library can."""

from __future__ import annotations

from contextlib import suppress
import ctypes


def give_back_free_memory() -> None:
    """To be called when much has been made and thrown away, as while a node starts.

    glibc keeps what lies between two blocks that are still used: 43 MB after the camera of the
    embedded rover was made.
    """
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
