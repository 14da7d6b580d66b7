"""A file has the old content or the new one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive.store.atomic_file_replacement import write_whole


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / 'deep' / 'file'
    write_whole(path, b'old')
    write_whole(path, b'new')
    assert path.read_bytes() == b'new'
    assert [each.name for each in path.parent.iterdir()] == ['file']


def test_what_cannot_be_written_is_named_and_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / 'file'
    write_whole(path, b'old')
    (tmp_path / 'file.new').symlink_to('/dev/full')
    with pytest.raises(OSError, match='No space left on device') as failed:
        write_whole(path, b'new')
    assert failed.value.filename == str(path)
    assert path.read_bytes() == b'old'
    assert not (tmp_path / 'file.new').is_symlink()
