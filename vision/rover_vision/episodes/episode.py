"""One stored look: picture, question, measurements and answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
import time
from typing import Any

from rover_vision.capture.captured_picture import Picture, PictureSet
from rover_vision.place_of_look import Place


class Origin(str, Enum):
    """The purpose of a look."""

    CHAT = 'chat'
    WATCH = 'desktop_watch'
    GOAL = 'goal'
    LATE = 'late'


@dataclass(frozen=True, kw_only=True)
class NewEpisode:
    """An episode that is to be stored.

    Attributes:
        looked_at: camera or desktop.
        client_id: That took the picture.
        asked_by: The client or node that wanted it.
        system_s: Time of day, Unix s.
        stamp_s: ROS time of the picture, s; 0 if its client does not tell.
        place: Of the rover; None if it is not known, or something else was looked at.
    """

    origin: Origin
    looked_at: str
    client_id: str
    picture: Picture
    system_s: float
    stamp_s: float = 0.0
    asked_by: str = ''
    question: str = ''
    answer: str = ''
    measured: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)
    place: Place | None = None

    @classmethod
    def of(
        cls,
        seen: PictureSet,
        origin: Origin,
        looked_at: str,
        *,
        asked_by: str,
        measured: Mapping[str, Any],
        question: str = '',
        answer: str = '',
    ) -> NewEpisode:
        """Return an episode of the first picture of a look."""
        return cls(
            origin=origin,
            looked_at=looked_at,
            client_id=seen.client_id,
            picture=seen.pictures[0],
            system_s=time.time(),
            stamp_s=seen.stamp_s,
            asked_by=asked_by,
            question=question,
            answer=answer,
            measured=measured,
            context=seen.context,
            place=seen.place,
        )


@dataclass(frozen=True)
class Episode:
    """A stored episode.

    `picture`: its file; empty if it is not there any more. `place`: as `Place.as_data`; empty: not
    known.
    """

    number: int
    origin: str
    looked_at: str
    client_id: str
    asked_by: str
    system_s: float
    stamp_s: float
    question: str
    answer: str
    measured: Mapping[str, Any]
    context: Mapping[str, str]
    place: Mapping[str, Any]
    picture: str
    format: str
    width: int
    height: int
