"""The trace as a file: one JSON object per line, appended and flushed after every event."""

from __future__ import annotations

from pathlib import Path

from bt_executive.trace.event import TraceEvent, event_to_json


class JsonlSink:
    """Appends to a file, which is made with its folder. A full disk ends the file, not the run."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open('a', encoding='utf-8')
        self.fault = ''

    def emit(self, event: TraceEvent) -> None:
        """Writes one line."""
        if self.fault:
            return
        try:
            self._file.write(event_to_json(event) + '\n')
            self._file.flush()
        except OSError as error:
            self.fault = f'{self._file.name} cannot be written: {error.strerror}'

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
