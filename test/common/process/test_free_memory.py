"""Memory that lies free between blocks in use goes back to the system."""

from __future__ import annotations

import ctypes

import psutil
import pytest

from rover_common.process.free_memory import give_back_free_memory

BLOCK, COUNT = 64_000, 1000  # bytes: below what glibc takes from the system one by one


def resident() -> int:
    return int(psutil.Process().memory_info().rss)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), 'malloc_trim'), reason='no glibc')
def test_what_is_free_between_blocks_in_use_goes_back() -> None:
    blocks = [bytearray(b'x') * BLOCK for _ in range(COUNT)]
    kept, blocks = blocks[::8], []
    before = resident()
    give_back_free_memory()
    assert before - resident() > BLOCK * COUNT // 2
    assert len(kept) == COUNT // 8
