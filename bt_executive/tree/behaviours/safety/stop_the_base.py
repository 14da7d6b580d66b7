"""Stop the base: the stop request goes out in the tick that decides it."""

from __future__ import annotations

from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.context import Brain
from rover_common.config.settings import Endpoint

STOP_TIMEOUT_S = 2.0


def send_stop(brain: Brain, call_id: str, endpoint: Endpoint | None = None) -> str:
    """Sends a stop, and withdraws the permission to move. Needs no lease.

    `endpoint`: of a motion that is not the base's; without it the base is stopped, which
    `ConfirmStop` sees to. Returns the id of the stop's session.
    """
    if endpoint is not None:
        session_id = _open(brain, call_id, endpoint.name, endpoint)
        brain.robot.send(session_id, endpoint, {})
        brain.permits.withdraw()
        return session_id
    session_id = _ask(brain, call_id, past_the_adapter=not brain.adapter_alive())
    brain.stops.sent(brain.permits.withdraw(), brain.now.steady)
    return session_id


def stop_now(brain: Brain) -> None:
    """Sends a stop that belongs to no tool; the reaper awaits its answer."""
    call_id = _loose_call(brain)
    send_stop(brain, call_id)
    brain.book.finish_call(call_id)


def repeat_stop(brain: Brain) -> None:
    """Sends a stop that is not confirmed again: to the adapter, and past it to the robot."""
    call_id = _loose_call(brain)
    brain.stops.sent(brain.permits.withdraw(), brain.now.steady)
    for past_the_adapter in (False, True):
        _ask(brain, call_id, past_the_adapter, quiet=True)
    brain.book.finish_call(call_id)


class StopTheBase(Leaf):
    """SUCCESS as soon as the request is out; `ConfirmStop` sees to the rest."""

    def update(self) -> Status:
        """Sends the stop."""
        stop_now(self.brain)
        self.brain.tracer.emit('ACT', 'Stop the base', tool_name='move_stop')
        return self.success('stop sent')


def _loose_call(brain: Brain) -> str:
    return f'stop-{brain.now.steady:.3f}'


def _ask(brain: Brain, call_id: str, past_the_adapter: bool, quiet: bool = False) -> str:
    session_id = _open(brain, call_id, 'the stop of the base', None, quiet)
    brain.robot.stop(session_id, past_the_adapter=past_the_adapter)
    return session_id


def _open(
    brain: Brain, call_id: str, label: str, endpoint: Endpoint | None, quiet: bool = False
) -> str:
    session = brain.book.open(call_id, label, brain.now, STOP_TIMEOUT_S, endpoint, quiet=quiet)
    brain.book.sent(session.session_id)
    return session.session_id
