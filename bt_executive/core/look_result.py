"""A look in the trace: which picture was looked at, and what was said of it.

What is said is data, also where a model says it: it is shown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rover_common.finite_number import finite_number
from rover_common.printable import one_line
from rover_common.trace_event import TraceEvent

LONGEST_WORDS = 500  # of what is shown beside a picture


@dataclass(frozen=True)
class LookResult:
    """What a look brought. `stamp`: of its picture, ROS s; `brightness`: measured, 0 to 1."""

    stamp: float
    brightness: float
    words: str


def look_result_of(event: TraceEvent) -> LookResult | None:
    """The look whose end this event is; None for every other event.

    Any server may answer with fields of these names: what does not fit is no look.
    """
    result = (event.data or {}).get('result')
    if not event.ok or not isinstance(result, Mapping):
        return None
    words, measured = result.get('answer'), result.get('measured')
    stamp = finite_number(result.get('stamp'))
    measures = measured if isinstance(measured, Mapping) else {}
    brightness = finite_number(measures.get('brightness'))
    if not isinstance(words, str) or not stamp or brightness is None:
        return None  # without a stamp it was no picture of the robot's camera
    return LookResult(stamp, min(max(brightness, 0.0), 1.0), one_line(words)[:LONGEST_WORDS])
