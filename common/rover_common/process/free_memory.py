"""Gives free memory back to the system, and keeps what is loaded shared with forked processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
import ctypes
import gc
from pathlib import Path
import re
from typing import ClassVar

M_ARENA_MAX, MADV_DONTNEED = -8, 4
GAPS = range(4072, 23, -16)  # bytes: from a page to the least that glibc gives
# Of a file that is mapped to be read or executed, and not shared.
READ_FILE = re.compile(r'([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]\d* +/')
UNCHANGED = 'Anonymous:             0 kB'


def release_free_memory() -> None:
    """To be called when much has been made and thrown away, as while a node starts.

    glibc keeps what lies between two blocks that are still used: 43 MB after the camera of the
    embedded rover was made.
    """
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def keep_one_heap() -> None:
    """To be called before threads are started: glibc gives some of them heaps of their own.

    The threads of a node wait nearly always. Their heaps are 0.5 MB in each of our processes.
    """
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


class _Figures(ctypes.Structure):
    """`struct mallinfo2` of glibc. `keepcost`: bytes that are free at the end of the heap."""

    _fields_: ClassVar = [
        (name, ctypes.c_size_t)
        for name in (
            *('arena', 'ordblks', 'smblks', 'hblks', 'hblkhd', 'usmblks', 'fsmblks'),
            *('uordblks', 'fordblks', 'keepcost'),
        )
    ]


def fill_gaps() -> None:
    """To be called in the main thread, before processes are forked that allocate much.

    Each gap between two blocks that is used again costs a whole page of its own in the process
    that uses it: 4 MB in each of ours, for 0.8 MB of gaps. Without gaps, what a process allocates
    lies together, and apart from what it shares.
    """
    with suppress(AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        malloc, free, end_of_heap, figures = libc.malloc, libc.free, libc.sbrk, libc.mallinfo2
        malloc.argtypes, malloc.restype = [ctypes.c_size_t], ctypes.c_size_t
        free.argtypes, free.restype = [ctypes.c_size_t], None
        end_of_heap.argtypes, end_of_heap.restype = [ctypes.c_ssize_t], ctypes.c_size_t
        figures.restype = _Figures
        last = end_of_heap(0) - figures().keepcost
        for size in GAPS:
            while 0 < (block := malloc(size)) < last:
                pass  # for ever
            free(block)


def release_file_pages() -> None:
    """To be called when libraries have been loaded that this process itself will hardly use.

    Loading reads much of a library that nobody needs again. What of it is still in the system's
    cache is mapped anew as soon as it is used.
    """
    with suppress(AttributeError, OSError):  # no Linux
        libc = ctypes.CDLL(None)
        for begin, end in _unchanged_files(Path('/proc/self/smaps').read_text(encoding='utf-8')):
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_DONTNEED)


def share_memory() -> None:
    """Keep loaded memory shared with the processes that are forked from now on.

    A garbage collection writes to each object that it visits, and the kernel then copies its page.
    """
    keep_one_heap()
    gc.collect()
    release_free_memory()
    fill_gaps()
    release_file_pages()
    gc.freeze()


def _unchanged_files(maps: str) -> Iterator[tuple[int, int]]:
    """Yields begin and end of each mapped file that has not been written to, as to relocate it."""
    found: re.Match[str] | None = None
    for line in maps.splitlines():
        if line[0] in '0123456789abcdef':
            found = READ_FILE.match(line)
        elif found and line == UNCHANGED:
            yield int(found[1], 16), int(found[2], 16)
