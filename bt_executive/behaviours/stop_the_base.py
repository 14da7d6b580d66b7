"""Stop the base: the stop request goes out in the tick that decides it."""

from __future__ import annotations

from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.settings import Endpoint

STOP_TIMEOUT_S = 2.0


def send_stop(brain: Brain, call_id: str, endpoint: Endpoint | None = None) -> str:
    """Sends a stop and returns its session id. Needs no lease.

    `endpoint`: of a motion that is not the base's; without it the base is stopped.
    """
    label = endpoint.name if endpoint else 'the stop of the base'
    session = brain.book.open(call_id, label, brain.now, STOP_TIMEOUT_S, endpoint)
    brain.book.sent(session.session_id)
    if endpoint is not None:
        brain.robot.send(session.session_id, endpoint, {})
        return session.session_id
    adapter_silent = not brain.adapter_alive()
    brain.robot.stop(session.session_id, past_the_adapter=adapter_silent)
    return session.session_id


def stop_now(brain: Brain) -> None:
    """Sends a stop that belongs to no tool; the reaper awaits its answer."""
    call_id = f'stop-{brain.now.steady:.3f}'
    send_stop(brain, call_id)
    brain.book.finish_call(call_id)


class StopTheBase(Leaf):
    """SUCCESS as soon as the request is out; the answer is awaited elsewhere."""

    def update(self) -> Status:
        """Sends the stop."""
        stop_now(self.brain)
        self.brain.tracer.emit('ACT', 'Stop the base', tool_name='move_stop')
        return self.success('stop sent')
