"""Scored pictures as they come: the bytes on one topic, the score on another, in either order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
import io
from typing import Any

from bt_executive.client.events import PictureSeen
from bt_executive.stage.data import StagePicture
from bt_executive.stage.small_picture import make_small
from rover_common.trace_event import TraceEvent

MOST_KEPT = 300  # small ones, about 25 kB each
PATIENCE_S = 3.0  # so long a score waits for its picture
MISSED = 'it was taken before this page could see it'


class LivePictures:
    """Not thread-safe, but for `jpeg`."""

    def __init__(self) -> None:
        self._taken: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._waiting: dict[str, tuple[StagePicture, float]] = {}

    def jpeg(self, name: str) -> bytes | None:
        """The bytes of a picture by the end of its `src`."""
        found = self._taken.get(name)
        return found[0] if found else None

    def taken(self, seen: PictureSeen) -> list[StagePicture]:
        """A picture was taken; what can be shown now."""
        try:
            small = make_small(io.BytesIO(seen.jpeg))
        except (OSError, ValueError):
            return []
        name = _name(seen.stamp)
        self._taken[name] = (small.jpeg, small.lift)
        while len(self._taken) > MOST_KEPT:
            self._taken.popitem(last=False)
        waiting = self._waiting.pop(name, None)
        return [self._shown(name, waiting[0])] if waiting else []

    def scored(self, event: TraceEvent, result: Mapping[str, Any]) -> list[StagePicture]:
        """A picture was scored; what can be shown now."""
        stamp = result.get('stamp')
        if not isinstance(stamp, (int, float)) or event.score is None:
            return []
        good = result.get('is_good')
        picture = StagePicture(
            stamp, event.ts, event.score, good if isinstance(good, bool) else None
        )
        name = _name(stamp)
        if name in self._taken:
            return [self._shown(name, picture)]
        self._waiting[name] = (picture, event.ts + PATIENCE_S)
        return []

    def overdue(self, now: float) -> list[StagePicture]:
        """Scores whose picture does not come; shown without."""
        late = [name for name, (_, until) in self._waiting.items() if until < now]
        pictures = [self._waiting.pop(name)[0] for name in late]
        return [
            StagePicture(each.stamp, each.ts, each.score, each.good, why=MISSED)
            for each in pictures
        ]

    def _shown(self, name: str, picture: StagePicture) -> StagePicture:
        _, lift = self._taken[name]
        src = f'/pictures/{name}'
        return StagePicture(picture.stamp, picture.ts, picture.score, picture.good, src, '', lift)


def _name(stamp: float) -> str:
    return f'{stamp:.6f}.jpg'
