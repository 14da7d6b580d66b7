"""The table of calls to servers: each that has been started, until its terminal entry.

A tool's call (`call_id`) may make several of them, for example a motion and its stop. Its leases
are given back when the tool has ended and the last call to a server has, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from bt_executive.core.call_states import ENDING, TERMINAL, CallInput, CallState, advance
from bt_executive.core.resource_leases import Leases
from bt_executive.core.silent_servers import SilentServer, SilentServers
from bt_executive.core.skills_state import RunningSkill
from bt_executive.core.state import BrainState
from rover_common.clocks import READING_S, Now
from rover_common.config.settings import Endpoint
from rover_common.dataclass_replace import replace

# The namespace of the UUIDs that we give to goals of actions.
GOALS = UUID('6e6f7468-696e-4720-8973-206c6f737421')


def is_of(call_id: str, round_id: str) -> bool:
    """Whether a call is a round's own, or of a member of its composite tool."""
    return call_id == round_id or call_id.startswith(f'{round_id}/')


@dataclass(frozen=True)
class ServerCall:
    """One call to a service or action, or one message on a topic.

    Its limit counts from a moment on both clocks: a server needs the robot's time for what it
    does, and steady time to be told and to answer.
    """

    server_call_id: str
    call_id: str
    label: str  # name of the service or action
    started_at: Now
    timeout_s: float
    counts_from: Now  # moved when it is sent, and when it is to be cancelled
    limit_s: float  # so long after that it is given up
    skill: str = ''  # the tool that it is a call of
    endpoint: Endpoint | None = None  # None: whoever sends it chooses the server
    cancellable: bool = False  # the server can be told to end it
    quiet: bool = False  # whoever opened it tells what is missing without its answer
    arguments: Mapping[str, Any] = field(default_factory=dict)  # fields of the request
    goal_id: str = ''  # hex of the UUID of an action's goal
    idempotent: bool = True  # done twice, it is as if done once
    state: CallState = CallState.REQUESTED
    fields: Mapping[str, Any] | None = None  # the response, once it came
    progress: Mapping[str, Any] | None = None  # the latest feedback
    reason: str = ''  # why it ended, or is to end
    cancel_sent_at: float | None = None  # steady, s
    cancel_accepted: bool = False
    absent_since: float | None = None  # steady, s: since when its server is not there

    @property
    def ended(self) -> bool:
        """Whether it has its terminal entry."""
        return self.state in TERMINAL

    @property
    def ending(self) -> bool:
        """Whether its server is to be told to end it."""
        return self.cancellable and self.state in ENDING

    def overdue(self, now: Now) -> bool:
        """Whether its time is over. Who has just woken up reads first what came meanwhile.

        Who wakes up again and again has had its limit of time awake for that.
        """
        if self.ended or now.since(self.counts_from) < self.limit_s:
            return False
        return (
            now.awake_for >= READING_S or now.silent_for(self.counts_from.steady) >= self.limit_s
        )


@dataclass(frozen=True)
class Transition:
    """A call as it is after something has happened to it; None: it was opened."""

    call: ServerCall
    happened: CallInput | None = None


class CallTable:
    """All calls that are open, the result of those just ended, leases and silent servers."""

    def __init__(self) -> None:
        self.leases = Leases()
        self.silent = SilentServers()
        self._calls: dict[str, ServerCall] = {}
        self._news: list[Transition] = []
        self._finished_calls: set[str] = set()
        self._opened = 0
        self.changes = 0  # grows with each change that another process would have to know

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
        """Enters a new call in state REQUESTED.

        `run_id`: of this run of the executive; an action's goal gets its UUID by it.
        """
        self._opened += 1
        server_call_id = f'{call_id}.{self._opened}'
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
        """Enters a call that the previous run has opened."""
        self._calls[call.server_call_id] = call

    def drain(self) -> list[Transition]:
        """What has become of calls since the last time, in order."""
        news, self._news = self._news, []
        return news

    def sent(self, server_call_id: str, now: Now | None = None) -> None:
        """Enters that the request is out. For a service or a topic that is its acceptance, too.

        `now`: if it had to wait since it was opened, its time counts from here on.
        """
        if now is not None:
            call = self._calls[server_call_id]
            self._calls[server_call_id] = replace(call, started_at=now, counts_from=now)
        self.apply(server_call_id, CallInput.SEND)
        endpoint = self._calls[server_call_id].endpoint
        if endpoint is None or endpoint.kind != 'action':
            self.apply(server_call_id, CallInput.ACCEPT)

    def get(self, server_call_id: str) -> ServerCall | None:
        """The call, unless it ended and was cleared."""
        return self._calls.get(server_call_id)

    def apply(
        self,
        server_call_id: str,
        happened: CallInput,
        fields: Mapping[str, Any] | None = None,
        reason: str = '',
    ) -> bool:
        """Enters what happened; False if the table gives it no effect."""
        call = self._calls.get(server_call_id)
        after = advance(call.state, happened) if call else None
        if call is None or after is None:
            return False
        more: dict[str, Any] = {}
        if after in TERMINAL:
            more = {'fields': fields, 'reason': call.reason or reason}
        elif happened is CallInput.PROGRESS:
            more = {'progress': fields}
        elif happened is CallInput.CANCEL_ACCEPTED:
            more = {'cancel_accepted': True}
        if happened is CallInput.TIME_OUT:
            self._note_silence(call)
        changed = self._calls[server_call_id] = replace(call, state=after, **more)
        if after is not call.state or happened is not CallInput.PROGRESS:
            self._note(Transition(changed, happened))
        return True

    def cancel(self, server_call_id: str, now: Now, within_s: float) -> bool:
        """Enters that the call is no longer wanted; False if that changes nothing.

        A server that can be told has `within_s` for its last word; one that cannot keeps the
        call's own limit.
        """
        return self._end(server_call_id, CallInput.CANCEL, now, within_s, '')

    def expire(self, server_call_id: str, now: Now, within_s: float, reason: str) -> bool:
        """Enters that the call's time is over: with a last word to wait for, if it has one."""
        call = self._calls.get(server_call_id)
        can_be_told = call is not None and call.cancellable and not call.ending
        if can_be_told and self._end(server_call_id, CallInput.EXPIRE, now, within_s, reason):
            return True
        return self.apply(server_call_id, CallInput.TIME_OUT, reason=reason)  # also if never sent

    def cancel_sent(self, server_call_id: str, steady: float) -> None:
        """Enters that the server was told to end the call, at a steady time in s."""
        self._calls[server_call_id] = replace(self._calls[server_call_id], cancel_sent_at=steady)

    def server_seen(self, server_call_id: str, there: bool, steady: float) -> float:
        """Enters whether the call's server is there; returns for how many s it has not been."""
        call = self._calls[server_call_id]
        since = None if there else steady if call.absent_since is None else call.absent_since
        if since != call.absent_since:
            self._calls[server_call_id] = replace(call, absent_since=since)
        return 0.0 if since is None else steady - since

    def all(self) -> tuple[ServerCall, ...]:
        """All that are not cleared, oldest first."""
        return tuple(self._calls.values())

    def running(self) -> tuple[ServerCall, ...]:
        """Calls without a terminal entry, oldest first."""
        return tuple(call for call in self._calls.values() if not call.ended)

    def overdue(self, now: Now) -> tuple[ServerCall, ...]:
        """Open calls whose time is over."""
        return tuple(call for call in self.running() if call.overdue(now))

    def finish_call(self, call_id: str) -> None:
        """The tool has ended: nothing new is opened for this call."""
        self._finished_calls.add(call_id)

    def clear_finished(self) -> tuple[str, ...]:
        """Releases the leases of tools that have ended and have no open call; returns those."""
        busy = {call.call_id for call in self.running()}
        cleared = tuple(call for call in self._finished_calls if call not in busy)
        for call_id in cleared:
            self.leases.release(call_id)
            self._finished_calls.discard(call_id)
        self._forget(cleared)
        return cleared

    def _end(
        self, server_call_id: str, how: CallInput, now: Now, within_s: float, reason: str
    ) -> bool:
        if not self.apply(server_call_id, how):
            return False
        call = self._calls[server_call_id]
        if call.ending:
            call = replace(call, counts_from=now, limit_s=within_s)
        self._calls[server_call_id] = call = replace(call, reason=reason)
        self._news[-1] = Transition(call, how)
        return True

    def _note(self, transition: Transition) -> None:
        self._news.append(transition)
        self.changes += 1

    def _note_silence(self, call: ServerCall) -> None:
        endpoint, goal_id = call.endpoint, call.goal_id
        if call.ending and endpoint and goal_id:
            asked_at = call.cancel_sent_at
            self.silent.enter(SilentServer(endpoint, call.server_call_id, goal_id, asked_at))

    def _forget(self, calls: Iterable[str]) -> None:
        gone = set(calls)
        self.changes += bool(gone)
        self._calls = {key: call for key, call in self._calls.items() if call.call_id not in gone}


def show_running(state: BrainState, book: CallTable, resources: Iterable[str]) -> BrainState:
    """The state whose running skills and taken resources are those of the call table."""
    holders = book.leases.holders
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
        for call in book.running()
    )
    busy = {f'{name}_busy': name in holders for name in resources}
    if (running, busy) == (state.skills.running, state.robot.resources):
        return state
    return replace(
        state,
        skills=replace(state.skills, running=running),
        robot=replace(state.robot, resources=busy),
    )
