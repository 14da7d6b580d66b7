"""Memory that lies free between blocks in use goes back to the system."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path
import sys

import psutil
import pytest

from rover_common.process.free_memory import fill_gaps, release_file_pages, release_free_memory

BLOCK, COUNT = 64_000, 1000  # bytes: below what glibc takes from the system one by one


def resident() -> int:
    return int(psutil.Process().memory_info().rss)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), 'malloc_trim'), reason='no glibc')
@pytest.mark.slow
def test_what_is_free_between_blocks_in_use_goes_back() -> None:
    blocks = [bytearray(b'x') * BLOCK for _ in range(COUNT)]
    kept, blocks = blocks[::8], []
    before = resident()
    release_free_memory()
    assert before - resident() > BLOCK * COUNT // 2
    assert len(kept) == COUNT // 8


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), 'mallinfo2'), reason='no glibc')
@pytest.mark.parametrize('size', [24, 200, 3000])
def test_what_is_allocated_after_gaps_were_filled_lies_behind_all_else(size: int) -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
    blocks = [libc.malloc(size) for _ in range(COUNT)]
    for each in blocks[::2]:
        libc.free(each)
    fill_gaps()
    gaps = set(blocks[::2])
    reused = gaps & {libc.malloc(size) for _ in range(COUNT)}
    assert len(reused) < COUNT // 50, 'but for what other threads freed meanwhile'


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != 'linux', reason='no /proc')
def test_a_file_that_was_read_goes_back_and_one_that_was_changed_stays(tmp_path: Path) -> None:
    size = 32_000_000
    (tmp_path / 'file').write_bytes(b'a' * size)
    with (tmp_path / 'file').open('rb') as file:
        read = mmap.mmap(file.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ)
        changed = mmap.mmap(
            file.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE
        )
    changed[size // 2] = ord('b')
    address = ctypes.addressof(ctypes.c_char.from_buffer(changed))
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), mmap.PROT_READ)
    assert read[:] == b'a' * size
    before = resident()
    release_file_pages()
    assert before - resident() > size // 2
    assert changed[size // 2] == ord('b')
    assert read[:] == b'a' * size
