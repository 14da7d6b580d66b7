"""Which picture an event of the trace judges: one that was scored, or one that was looked at.

What a look says of it is data, also where a model says it: it is shown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rover_common.finite_number import finite_number
from rover_common.printable import one_line
from rover_common.trace_event import TraceEvent

LONGEST_WORDS = 500  # of what is shown beside a picture


@dataclass(frozen=True)
class JudgedPicture:
    """What came of a picture.

    Attributes:
        stamp: The picture's own, ROS s.
        score: From 0 to 1; of a look the measured brightness.
        is_good: None: that was not judged.
        words: What the look said.
    """

    stamp: float
    score: float
    is_good: bool | None = None
    words: str = ''


def judged_picture_of(event: TraceEvent) -> JudgedPicture | None:
    """Return the picture whose score or look this event is; None for every other event.

    Any server may answer with fields of these names: what does not fit is neither.
    """
    result = (event.data or {}).get('result')
    if not event.ok or not isinstance(result, Mapping):
        return None
    stamp = finite_number(result.get('stamp'))
    return None if stamp is None else _look(result, stamp) or _score(event, result, stamp)


def _look(result: Mapping[str, Any], stamp: float) -> JudgedPicture | None:
    words, measured = result.get('answer'), result.get('measured')
    measures = measured if isinstance(measured, Mapping) else {}
    brightness = finite_number(measures.get('brightness'))
    if not isinstance(words, str) or not stamp or brightness is None:
        return None  # without a stamp it was no picture of the robot's camera
    score = min(max(brightness, 0.0), 1.0)
    return JudgedPicture(stamp, score, words=one_line(words)[:LONGEST_WORDS])


def _score(event: TraceEvent, result: Mapping[str, Any], stamp: float) -> JudgedPicture | None:
    good = result.get('is_good')
    if event.score is None or not (good is None or isinstance(good, bool)):
        return None
    return JudgedPicture(stamp, event.score, good)
