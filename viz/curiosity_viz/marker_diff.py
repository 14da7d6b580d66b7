"""What RViz shows already, so that only what differs is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curiosity_viz.markers import Key, Marker


@dataclass(frozen=True)
class Changes:
    """What to send. `afresh`: every marker is deleted first, from any publisher."""

    afresh: bool = False
    gone: tuple[Key, ...] = ()
    new: tuple[Marker, ...] = ()

    def __bool__(self) -> bool:
        return self.afresh or bool(self.gone) or bool(self.new)


class MarkerKeeper:
    """Remembers every marker that was sent and not deleted."""

    def __init__(self) -> None:
        self._shown: dict[Key, Marker] = {}

    def all(self, markers: Iterable[Marker]) -> Changes:
        """Everything: for a viewer of which is not known what it shows."""
        self._shown = {marker.key: marker for marker in markers}
        return Changes(afresh=True, new=tuple(self._shown.values()))

    def changes(self, markers: Iterable[Marker]) -> Changes:
        """What to delete, to add and to alter, so that exactly these markers are shown."""
        before, self._shown = self._shown, {marker.key: marker for marker in markers}
        return Changes(
            gone=tuple(key for key in before if key not in self._shown),
            new=tuple(each for key, each in self._shown.items() if before.get(key) != each),
        )
