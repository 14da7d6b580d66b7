"""What a run leaves behind: summary.json and the first and last scored picture."""

from __future__ import annotations

from collections import OrderedDict
import json
from pathlib import Path
import threading
from typing import Any

from bt_executive.trace.event import TraceEvent

PICTURES_KEPT = 40
STAMP_TOLERANCE_S = 1e-4


class RunFolder:
    """Takes pictures from one thread and trace events from another.

    A capture's result names the stamp of the picture that was scored; the picture itself comes on
    its topic, before or after. Each goal overwrites first.jpg and last.jpg with its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._pictures: OrderedDict[float, bytes] = OrderedDict()
        self._wanted: dict[float, str] = {}
        self._first_taken = False
        self._goals: list[dict[str, Any]] = []

    def picture(self, stamp: float, jpeg: bytes) -> None:
        """Takes a published picture; `stamp` in s."""
        with self._lock:
            self._pictures[stamp] = jpeg
            while len(self._pictures) > PICTURES_KEPT:
                self._pictures.popitem(last=False)
            self._save()

    def emit(self, event: TraceEvent) -> None:
        """Looks for captures and for ends of goals."""
        data = event.data or {}
        result = data.get('result') or {}
        if event.ok and event.score is not None and 'stamp' in result:
            with self._lock:
                self._wanted[float(result['stamp'])] = 'last' if self._first_taken else 'first'
                self._first_taken = True
                self._save()
        if 'goal_ended' in data:
            self._write_summary(data['goal_ended'])

    def _save(self) -> None:
        for stamp, name in list(self._wanted.items()):
            found = next((s for s in self._pictures if abs(s - stamp) < STAMP_TOLERANCE_S), None)
            if found is None:
                continue
            del self._wanted[stamp]
            for each in ('first', 'last') if name == 'first' else ('last',):
                (self.folder / f'{each}.jpg').write_bytes(self._pictures[found])

    def _write_summary(self, summary: dict[str, Any]) -> None:
        self._first_taken = False
        self._goals.append(summary)
        text = json.dumps({**summary, 'goals': self._goals}, ensure_ascii=False, indent=2)
        temporary = self.folder / 'summary.json.new'
        temporary.write_text(text + '\n', encoding='utf-8')
        temporary.replace(self.folder / 'summary.json')
