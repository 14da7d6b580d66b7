"""Pictures that were scored or looked at, as they come: bytes and score, in either order."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
import io

from bt_executive.client.events import PictureSeen
from bt_executive.core.looked import looked_in
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

    def judged(self, event: TraceEvent) -> list[StagePicture]:
        """Perhaps a picture was scored or looked at; what can be shown now."""
        picture = _looked_at(event) or _scored(event)
        if picture is None:
            return []
        name = _name(picture.stamp)
        if name in self._taken:
            return [self._shown(name, picture)]
        self._waiting[name] = (picture, event.ts + PATIENCE_S)
        return []

    def overdue(self, now: float) -> list[StagePicture]:
        """Scores whose picture does not come; shown without."""
        late = [name for name, (_, until) in self._waiting.items() if until < now]
        pictures = [self._waiting.pop(name)[0] for name in late]
        return [replace(each, why=MISSED) for each in pictures]

    def _shown(self, name: str, picture: StagePicture) -> StagePicture:
        _, lift = self._taken[name]
        return replace(picture, src=f'/pictures/{name}', lift=lift)


def _looked_at(event: TraceEvent) -> StagePicture | None:
    looked = looked_in(event)
    if looked is None:
        return None
    return StagePicture(looked.stamp, event.ts, looked.brightness, None, words=looked.words)


def _scored(event: TraceEvent) -> StagePicture | None:
    result = (event.data or {}).get('result')
    if event.score is None or not isinstance(result, Mapping):
        return None
    stamp, good = result.get('stamp'), result.get('is_good')
    if not isinstance(stamp, (int, float)):
        return None
    return StagePicture(stamp, event.ts, event.score, good if isinstance(good, bool) else None)


def _name(stamp: float) -> str:
    return f'{stamp:.6f}.jpg'
