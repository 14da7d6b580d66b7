"""The folder of recorded pictures, bounded in number and size."""

from __future__ import annotations

from pathlib import Path

from bt_executive.store.atomic_write import write_whole
from bt_executive.store.json_lines_file import MEGABYTE
from bt_executive.store.run_folder_formats import PictureEntry


class PictureFolder:
    """Pictures of all processes of a run, up to `max_number` and `max_mb` megabytes."""

    def __init__(self, folder: Path, max_number: int, max_mb: float) -> None:
        self._folder = folder
        self._max_number = max_number
        self._max_bytes = max_mb * MEGABYTE
        files = list(folder.glob('*.jpg'))
        self._number, self._bytes = len(files), sum(path.stat().st_size for path in files)

    def save(self, entry: PictureEntry, jpeg: bytes) -> PictureEntry:
        """Writes the picture if there is room; returns the entry with the file name.

        Raises:
            OSError: The folder cannot be written.
        """
        if self._number >= self._max_number or self._bytes + len(jpeg) > self._max_bytes:
            return entry
        path = self._folder / f'{entry.stamp:.6f}.jpg'
        write_whole(path, jpeg)
        self._number += 1
        self._bytes += len(jpeg)
        return entry.model_copy(update={'file': f'{self._folder.name}/{path.name}'})
