"""An MCAP file of serialized ROS 2 messages (profile ros2, encoding cdr).

Foxglove and `ros2 bag` open it. After a `kill -9` the messages up to the last flush are readable;
the index at the end is missing then (see docs/recordings.md).
"""

from __future__ import annotations

from pathlib import Path

from mcap.writer import Writer

from bt_executive.store.json_lines_file import MEGABYTE

LIBRARY = 'bt_executive'
CHUNK_BYTES = 1_000_000


class McapFile:
    """Writes topics and messages.

    Args:
        path: The file to create.
        max_mb: Size in megabytes at which `full` becomes true.

    Raises:
        OSError: The file cannot be created.
    """

    def __init__(self, path: Path, max_mb: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._max_mb = max_mb
        self._stream = path.open('wb')
        self._writer = Writer(self._stream, chunk_size=CHUNK_BYTES)
        self._writer.start(profile='ros2', library=LIBRARY)
        self._schemas: dict[str, int] = {}
        self._latest = 0

    @property
    def megabytes(self) -> float:
        """Size so far."""
        return self._stream.tell() / MEGABYTE

    @property
    def full(self) -> bool:
        """Whether the file has reached its maximum size."""
        return self.megabytes >= self._max_mb

    def add_topic(self, topic: str, type_name: str, definition: str, qos: str) -> int:
        """Adds a channel; returns its number. `qos`: YAML, as in the bags of `ros2 bag`."""
        if type_name not in self._schemas:
            self._schemas[type_name] = self._writer.register_schema(
                type_name, 'ros2msg', definition.encode()
            )
        return self._writer.register_channel(
            topic, 'cdr', self._schemas[type_name], {'offered_qos_profiles': qos}
        )

    def add(self, channel: int, data: bytes, received_ns: int, sent_ns: int) -> None:
        """Adds a serialized message; times in ns of the wall clock.

        Times of reception are monotonic in the file, even if the clock is set back.

        Raises:
            OSError: The disk is full or gone.
        """
        self._latest = max(self._latest, received_ns)
        self._writer.add_message(channel, self._latest, data, sent_ns or self._latest)

    def flush(self) -> None:
        """Writes everything to the operating system.

        Raises:
            OSError: The disk is full or gone.
        """
        self._writer.flush()  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Writes the index and closes the file.

        Raises:
            OSError: The disk is full or gone.
        """
        with self._stream:
            self._writer.finish()  # type: ignore[no-untyped-call]


def unused_path(folder: Path) -> Path:
    """Return recording.mcap, or recording-2.mcap …: the files of earlier recorders stay."""
    path, number = folder / 'recording.mcap', 1
    while path.exists():
        number += 1
        path = folder / f'recording-{number}.mcap'
    return path
