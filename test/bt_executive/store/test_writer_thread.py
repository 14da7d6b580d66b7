"""Nobody waits for a disk."""

from __future__ import annotations

from pathlib import Path
import threading

from bt_executive.store.tree_and_state_changes import LETTERS
from bt_executive.store.writer_thread import WriterThread

DOCS = Path(__file__).resolve().parents[3] / 'docs'
STATUSES = {letter: status for status, letter in LETTERS.items()}


def test_nobody_waits_for_a_disk_that_hangs() -> None:
    told: list[str] = []
    hanging = threading.Event()
    writer = WriterThread(told.append, capacity=5)

    def hang() -> None:
        hanging.wait()

    for _ in range(100):
        writer.submit(hang)
    hanging.set()  # who waited for it would never have come here
    writer.close(20.0)
    (sentence,) = told
    assert 'too slow' in sentence
