"""The pictures of a run: matched with their scores and descriptions by stamp, and written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
import math
from pathlib import Path
import threading

from bt_executive.core.picture_in_trace_event import judged_picture_of
from bt_executive.store.atomic_file_replacement import write_whole
from bt_executive.store.json_lines_file import MEGABYTE, JsonLinesFile
from bt_executive.store.run_folder_formats import PICTURES_FOLDER, PictureEntry
from rover_common.geometry.transforms import SET_BACK_S
from rover_common.trace_event import TraceEvent

MAX_WAITING = 40  # pictures that wait for an event, and events that wait for a picture
STAMP_TOLERANCE_S = 1e-4


class PictureMatcher:
    """Receives pictures from one thread and trace events from another.

    The result of a capture, or of a question about a picture, names the stamp of its picture. The
    picture itself arrives on its topic, earlier or later. `on_match` is called with both. A
    simulation that begins anew repeats its stamps: what waited before it matches nothing any more.
    """

    def __init__(self, on_match: Callable[[PictureEntry, bytes], None]) -> None:
        self._on_match = on_match
        self._lock = threading.Lock()
        self._pictures: OrderedDict[float, bytes] = OrderedDict()
        self._entries: list[PictureEntry] = []  # whose picture has not arrived
        self._latest_ts = -math.inf  # of the events

    def add_picture(self, stamp: float, jpeg: bytes) -> None:
        """Adds a published picture; `stamp` in ROS seconds."""
        with self._lock:
            self._pictures[stamp] = jpeg
            while len(self._pictures) > MAX_WAITING:
                self._pictures.popitem(last=False)
            self._match()

    def add_event(self, event: TraceEvent) -> None:
        """Adds the event of a scored or described picture; of others only the time counts."""
        latest, self._latest_ts = self._latest_ts, event.ts
        if event.ts < latest - SET_BACK_S:
            with self._lock:
                self._pictures.clear()
                self._entries.clear()
        judged = judged_picture_of(event)
        if judged is None:
            return
        entry = PictureEntry(ts=event.ts, event_id=event.event_id, **vars(judged))
        with self._lock:
            self._entries = [*self._entries, entry][-MAX_WAITING:]
            self._match()

    def _match(self) -> None:
        for entry in list(self._entries):
            stamp = next(
                (s for s in self._pictures if abs(s - entry.stamp) < STAMP_TOLERANCE_S), None
            )
            if stamp is not None:
                self._entries.remove(entry)
                self._on_match(entry, self._pictures[stamp])


class PictureFolder:
    """Pictures of all processes of a run, up to `max_number` and `max_mb` megabytes.

    Args:
        run_folder: The run folder; the pictures are in a folder of it.
        index: pictures.jsonl in that folder.
    """

    def __init__(
        self, run_folder: Path, index: JsonLinesFile, max_number: int, max_mb: float
    ) -> None:
        self._run_folder, self._index = run_folder, index
        self._folder = folder = run_folder / PICTURES_FOLDER
        self._max_number = max_number
        self._max_bytes = max_mb * MEGABYTE
        files = list(folder.glob('*.jpg'))
        self._number, self._bytes = len(files), sum(path.stat().st_size for path in files)

    def write(self, entry: PictureEntry, jpeg: bytes, copies: Sequence[str]) -> None:
        """Writes the picture if there is room, its entry, and its copies in the run folder.

        Raises:
            OSError: The folder cannot be written.
        """
        self._index.write(self._save(entry, jpeg).model_dump_json())
        for name in copies:
            write_whole(self._run_folder / name, jpeg)

    def _save(self, entry: PictureEntry, jpeg: bytes) -> PictureEntry:
        path = self._file_of(entry.stamp, jpeg)
        if not path.exists():
            if self._number >= self._max_number or self._bytes + len(jpeg) > self._max_bytes:
                return entry
            write_whole(path, jpeg)
            self._number += 1
            self._bytes += len(jpeg)
        return entry.model_copy(update={'file': f'{self._folder.name}/{path.name}'})

    def _file_of(self, stamp: float, jpeg: bytes) -> Path:
        """Return the file of a picture that was judged before, or a new one.

        A simulation that begins anew repeats its stamps, for other pictures.
        """
        path, number = self._folder / f'{stamp:.6f}.jpg', 1
        while path.exists() and path.read_bytes() != jpeg:
            number += 1
            path = self._folder / f'{stamp:.6f}-{number}.jpg'
        return path
