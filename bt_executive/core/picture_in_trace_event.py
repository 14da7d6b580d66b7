"""The picture that a trace event judges: by its score, or by the description of a `look` tool.

The description is data, also if a model has written it: it is shown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rover_common.json_values import finite_number
from rover_common.text_sanitizing import one_line
from rover_common.trace_event import TraceEvent

MAX_DESCRIPTION_CHARS = 500


@dataclass(frozen=True)
class JudgedPicture:
    """A picture with its score or description."""

    stamp: float  # the picture's own, ROS s
    score: float  # from 0 to 1; of a description, the measured brightness
    is_good: bool | None = None  # None: not judged
    words: str = ''  # the description; empty for a score


def judged_picture_of(event: TraceEvent) -> JudgedPicture | None:
    """Return the picture that an event judges; None: it judges none.

    Any server may respond with fields of these names: values that do not fit are ignored.
    """
    result = (event.data or {}).get('result')
    if not event.ok or not isinstance(result, Mapping):
        return None
    stamp = finite_number(result.get('stamp'))
    return None if stamp is None else _described(result, stamp) or _score(event, result, stamp)


def _described(result: Mapping[str, Any], stamp: float) -> JudgedPicture | None:
    description, measured = result.get('answer'), result.get('measured')
    measures = measured if isinstance(measured, Mapping) else {}
    brightness = finite_number(measures.get('brightness'))
    if not isinstance(description, str) or not stamp or brightness is None:
        return None  # without a stamp it was no picture of the robot's camera
    score = min(max(brightness, 0.0), 1.0)
    return JudgedPicture(stamp, score, words=one_line(description)[:MAX_DESCRIPTION_CHARS])


def _score(event: TraceEvent, result: Mapping[str, Any], stamp: float) -> JudgedPicture | None:
    good = result.get('is_good')
    if event.score is None or not (good is None or isinstance(good, bool)):
        return None
    return JudgedPicture(stamp, event.score, good)
