"""The MCAP file itself: bounded, monotone, and named so that none is overwritten."""

from __future__ import annotations

from pathlib import Path

from mcap.reader import make_reader
import pytest

from bt_executive.store.mcap_file import McapFile, unused_path


def test_times_of_reception_never_go_back(tmp_path: Path) -> None:
    file = McapFile(tmp_path / 'a.mcap', 1.0)
    channel = file.add_topic('/a', 'std_msgs/msg/String', 'string data', '')
    for received in (5, 3, 9):
        file.add(channel, b'x', received, 0)
    file.close()
    with (tmp_path / 'a.mcap').open('rb') as stream:
        times = [each.log_time for _, _, each in make_reader(stream).iter_messages()]
    assert times == [5, 5, 9]


def test_a_file_knows_when_it_is_full(tmp_path: Path) -> None:
    file = McapFile(tmp_path / 'a.mcap', 0.001)
    channel = file.add_topic('/a', 'std_msgs/msg/String', 'string data', '')
    assert not file.full
    file.add(channel, bytes(range(256)) * 10, 1, 1)
    file.flush()
    assert not file.full  # it was compressed
    for number in range(200):
        file.add(channel, number.to_bytes(8, 'big') * 50, number, 1)
        file.flush()
    assert file.full
    file.close()


def test_no_recording_is_overwritten(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        path = unused_path(tmp_path)
        path.touch()
        names.append(path.name)
    assert names == ['recording.mcap', 'recording-2.mcap', 'recording-3.mcap']


def test_a_file_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    with pytest.raises(OSError, match='exists'):
        McapFile(tmp_path / 'file' / 'a.mcap', 1.0)
