"""Events reach every sink; a sink that fails stops neither the others nor the tick."""

from __future__ import annotations

from fakes.core import FakeTraceSink

from bt_executive.core.trace import Tracer
from rover_common.trace_event import TraceEvent


class Full(FakeTraceSink):
    def emit(self, event: TraceEvent) -> None:
        super().emit(event)
        raise OSError('no space left')


def test_a_sink_that_fails_gets_no_more_and_the_others_are_told() -> None:
    notes, full = FakeTraceSink(), Full()
    tracer = Tracer('run', [full, notes], lambda: 1.0)
    tracer.emit('ACT', 'one')
    tracer.emit('ACT', 'two')
    tracer.flush()
    tracer.emit('ACT', 'three')
    tracer.flush()
    told = "Full gets no more events: it failed on run-000001 with OSError('no space left')"
    assert [event.message for event in notes.events] == ['one', 'two', told, 'three']
    assert [event.message for event in full.events] == ['one']
