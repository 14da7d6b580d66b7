"""The table of server calls: each from start to end, with the leases and the silent servers.

A tool's call (`call_id`) may make several server calls (`server_call_id`), for example a motion
and its stop. It takes leases on its resources (base, arm, camera) when it starts, and keeps them
until it and the last of its server calls have ended, however it was preempted, so that a preempted
tool cannot overlap its successor. In py_trees a higher branch starts before a lower one is
terminated: the order of the tree alone is no exclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from uuid import UUID, uuid5

from bt_executive.core.call_states import ENDING, TERMINAL, CallInput, CallState, advance
from bt_executive.core.silent_servers import SilentServer, SilentServers
from bt_executive.core.state import BrainState, RunningSkill
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint
from rover_common.dataclass_replace import replace
from rover_common.errors import ProtocolError


class Leases:
    """The leases. A resource has at most one holder."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}
        self.changes = 0  # counts the changes

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → call id."""
        return MappingProxyType(self._holders)

    def conflicts(self, call_id: str, resources: Iterable[str]) -> dict[str, str]:
        """Returns those of `resources` that another call holds, each with its holder."""
        held = {name: self._holders[name] for name in resources if name in self._holders}
        return {name: holder for name, holder in held.items() if holder != call_id}

    def acquire(self, call_id: str, resources: Iterable[str]) -> None:
        """Takes all of `resources`, or none.

        Raises:
            ProtocolError: Another call holds one of them; ask `conflicts` first.
        """
        wanted = tuple(resources)
        conflicts = self.conflicts(call_id, wanted)
        if conflicts:
            raise ProtocolError(f'call {call_id!r} took {sorted(conflicts)} held by {conflicts!r}')
        self._holders.update(dict.fromkeys(wanted, call_id))
        self.changes += 1

    def restore(self, holders: Mapping[str, str]) -> None:
        """Adds the leases of calls of the previous run, before any other call has one."""
        self._holders.update(holders)

    def release(self, call_id: str) -> None:
        """Releases all leases of a call."""
        before = len(self._holders)
        self._holders = {name: held for name, held in self._holders.items() if held != call_id}
        self.changes += len(self._holders) != before


# The namespace of the UUIDs of goals of actions.
GOALS = UUID('6e6f7468-696e-4720-8973-206c6f737421')


def is_of(call_id: str, round_id: str) -> bool:
    """Return whether a call is that of a round, or of a member of its composite tool."""
    return call_id == round_id or call_id.startswith(f'{round_id}/')


@dataclass(frozen=True)
class ServerCall:
    """One call to a service or action, or one message on a topic.

    Its limit counts on both clocks: a server needs the robot's time for what it does, and steady
    time for requests and responses to arrive.
    """

    server_call_id: str
    call_id: str
    label: str  # name of the service or action
    started_at: Now
    timeout_s: float
    counts_from: Now  # moved when it is sent, and when it is to be cancelled
    limit_s: float  # after which it is given up
    skill: str = ''  # the tool that makes it
    endpoint: Endpoint | None = None  # None: the sender chooses the server
    cancellable: bool = False
    quiet: bool = False  # its caller reports what is missing without a response
    arguments: Mapping[str, Any] = field(default_factory=dict)  # fields of the request
    goal_id: str = ''  # hex of the UUID of an action's goal
    idempotent: bool = True
    state: CallState = CallState.REQUESTED
    fields: Mapping[str, Any] | None = None  # the response, once received
    progress: Mapping[str, Any] | None = None  # the latest feedback
    reason: str = ''  # why it ended, or is to end
    cancel_sent_at: float | None = None  # steady, s
    cancel_accepted: bool = False
    absent_since: float | None = None  # steady, s: since when its server is absent

    @property
    def ended(self) -> bool:
        """Return whether it is in a terminal state."""
        return self.state in TERMINAL

    @property
    def ending(self) -> bool:
        """Return whether its server is to be asked to cancel it."""
        return self.cancellable and self.state in ENDING

    def overdue(self, now: Now) -> bool:
        """Return whether its time is over."""
        return not self.ended and now.exceeds(self.counts_from, self.limit_s)


@dataclass(frozen=True)
class Transition:
    """A call after an input. `happened` is None: the call was opened."""

    call: ServerCall
    happened: CallInput | None = None


class CallTable:
    """Open server calls, those that have just ended, leases and silent servers."""

    def __init__(self) -> None:
        self.leases = Leases()
        self.silent = SilentServers()
        self._calls: dict[str, ServerCall] = {}
        self._transitions: list[Transition] = []
        self._finished_calls: set[str] = set()
        self.latest_number = 0  # of the calls of this run
        self.changes = 0  # counts the changes that a checkpoint must have

    def open(
        self,
        call_id: str,
        label: str,
        now: Now,
        timeout_s: float,
        endpoint: Endpoint | None = None,
        cancellable: bool = False,
        skill: str = '',
        quiet: bool = False,
        arguments: Mapping[str, Any] | None = None,
        idempotent: bool = True,
        run_id: str = '',
    ) -> ServerCall:
        """Adds a new call in state REQUESTED.

        `run_id`: of this run of the executive; the UUID of an action's goal is derived from it.
        """
        self.latest_number += 1
        server_call_id = f'{call_id}.{self.latest_number}'
        is_action = bool(run_id) and endpoint is not None and endpoint.kind == 'action'
        call = ServerCall(
            server_call_id=server_call_id,
            call_id=call_id,
            label=label,
            started_at=now,
            timeout_s=timeout_s,
            counts_from=now,
            limit_s=timeout_s,
            skill=skill or label,
            endpoint=endpoint,
            cancellable=cancellable,
            quiet=quiet,
            arguments=arguments or {},
            idempotent=idempotent,
            goal_id=uuid5(GOALS, f'{run_id}/{server_call_id}').hex if is_action else '',
        )
        self._calls[call.server_call_id] = call
        self._note(Transition(call))
        return call

    def restore(self, call: ServerCall) -> None:
        """Adds a call that the previous run opened."""
        self._calls[call.server_call_id] = call

    def drain(self) -> list[Transition]:
        """Returns the transitions since the last call of this method, in order."""
        transitions, self._transitions = self._transitions, []
        return transitions

    def sent(self, server_call_id: str, now: Now | None = None) -> None:
        """Notes that the request was sent. For a service or a topic that is its acceptance, too.

        `now`: restarts the call's time, if it had to wait since it was opened.
        """
        if now is not None:
            call = self._calls[server_call_id]
            self._calls[server_call_id] = replace(call, started_at=now, counts_from=now)
        self.apply(server_call_id, CallInput.SEND)
        endpoint = self._calls[server_call_id].endpoint
        if endpoint is None or endpoint.kind != 'action':
            self.apply(server_call_id, CallInput.ACCEPT)

    def get(self, server_call_id: str) -> ServerCall | None:
        """Returns the call, unless it ended and was cleared."""
        return self._calls.get(server_call_id)

    def apply(
        self,
        server_call_id: str,
        happened: CallInput,
        fields: Mapping[str, Any] | None = None,
        reason: str = '',
    ) -> bool:
        """Applies an input; returns False if it changes nothing in the call's state."""
        call = self._calls.get(server_call_id)
        after = advance(call.state, happened) if call else None
        if call is None or after is None:
            return False
        changes: dict[str, Any] = {}
        if after in TERMINAL:
            changes = {'fields': fields, 'reason': call.reason or reason}
        elif happened is CallInput.PROGRESS:
            changes = {'progress': fields}
        elif happened is CallInput.CANCEL_ACCEPTED:
            changes = {'cancel_accepted': True}
        if happened is CallInput.TIME_OUT and call.ending:
            self._note_silent(call)
        changed = self._calls[server_call_id] = replace(call, state=after, **changes)
        if after is not call.state or happened is not CallInput.PROGRESS:
            self._note(Transition(changed, happened))
        return True

    def cancel(self, server_call_id: str, now: Now, within_s: float) -> bool:
        """Cancels the call; returns False if that changes nothing.

        The server of a cancellable call has `within_s` for its final response; any other call
        keeps its own limit.
        """
        return self._end(server_call_id, CallInput.CANCEL, now, within_s, '')

    def expire(self, server_call_id: str, now: Now, within_s: float, reason: str) -> bool:
        """Expires the call; a cancellable one has `within_s` for its final response."""
        call = self._calls.get(server_call_id)
        can_cancel = call is not None and call.cancellable and not call.ending
        if can_cancel and self._end(server_call_id, CallInput.EXPIRE, now, within_s, reason):
            return True
        return self.apply(server_call_id, CallInput.TIME_OUT, reason=reason)  # also if never sent

    def lose_with_server(self, server_call_id: str, reason: str) -> bool:
        """Ends a call whose server has gone; returns False if that changes nothing.

        The graph may have missed the server, as when a network is cut: what it was sent may still
        run, and it is asked to end that when it is there again.
        """
        call = self._calls.get(server_call_id)
        if call is not None and call.cancellable and call.state is not CallState.REQUESTED:
            self._note_silent(call)
        return self.apply(server_call_id, CallInput.LOSE, reason=reason)

    def cancel_sent(self, server_call_id: str, steady: float) -> None:
        """Notes that the server was asked to cancel the call, at a steady time in s."""
        self._calls[server_call_id] = replace(self._calls[server_call_id], cancel_sent_at=steady)

    def note_server(self, server_call_id: str, there: bool, steady: float) -> float:
        """Notes whether the call's server is there; returns for how many s it has been absent."""
        call = self._calls[server_call_id]
        since = None if there else steady if call.absent_since is None else call.absent_since
        if since != call.absent_since:
            self._calls[server_call_id] = replace(call, absent_since=since)
        return 0.0 if since is None else steady - since

    def all(self) -> tuple[ServerCall, ...]:
        """Returns all calls that are not cleared, oldest first."""
        return tuple(self._calls.values())

    def running(self) -> tuple[ServerCall, ...]:
        """Returns the calls that have not ended, oldest first."""
        return tuple(call for call in self._calls.values() if not call.ended)

    def overdue(self, now: Now) -> tuple[ServerCall, ...]:
        """Returns the running calls whose time is over."""
        return tuple(call for call in self.running() if call.overdue(now))

    def finish_call(self, call_id: str) -> None:
        """Notes that a tool's call has ended: no more server calls are opened for it."""
        self._finished_calls.add(call_id)

    def of_ended_tools(self) -> tuple[ServerCall, ...]:
        """Returns the calls of tools that have ended, oldest first."""
        return tuple(call for call in self.all() if call.call_id in self._finished_calls)

    def clear_finished(self) -> tuple[str, ...]:
        """Releases the leases of ended calls without running server calls; returns their ids."""
        if not self._finished_calls:
            return ()
        busy = {call.call_id for call in self.running()}
        cleared = tuple(call for call in self._finished_calls if call not in busy)
        for call_id in cleared:
            self.leases.release(call_id)
            self._finished_calls.discard(call_id)
        if cleared:
            self.changes += 1
            self._calls = {
                key: call for key, call in self._calls.items() if call.call_id not in cleared
            }
        return cleared

    def _note_silent(self, call: ServerCall) -> None:
        """Notes that the server may still run the goal of an action."""
        if call.endpoint and call.goal_id and not call.ended:
            server = call.endpoint, call.server_call_id, call.goal_id, call.cancel_sent_at
            self.silent.add(SilentServer(*server))

    def _end(
        self, server_call_id: str, how: CallInput, now: Now, within_s: float, reason: str
    ) -> bool:
        if not self.apply(server_call_id, how):
            return False
        call = self._calls[server_call_id]
        if call.ending:
            call = replace(call, counts_from=now, limit_s=within_s)
        self._calls[server_call_id] = call = replace(call, reason=reason)
        self._transitions[-1] = Transition(call, how)
        return True

    def _note(self, transition: Transition) -> None:
        self._transitions.append(transition)
        self.changes += 1


def with_running_calls(
    state: BrainState, calls: CallTable, resources: Iterable[str]
) -> BrainState:
    """Return the state with the running skills and held resources of the call table."""
    holders = calls.leases.holders
    running = tuple(
        RunningSkill(
            goal_id=call.server_call_id,
            skill_name=call.skill,
            start_time=call.started_at.ros,
            timeout_s=call.timeout_s,
            resources_occupied=tuple(
                name for name, call_id in holders.items() if call_id == call.call_id
            ),
        )
        for call in calls.running()
    )
    busy = {f'{name}_busy': name in holders for name in resources}
    if (running, busy) == (state.skills.running, state.robot.resources):
        return state
    return replace(
        state,
        skills=replace(state.skills, running=running),
        robot=replace(state.robot, resources=busy),
    )
