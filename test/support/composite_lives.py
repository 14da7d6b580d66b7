"""Servers that work on while the executive is dead, and a composite tool that asks them."""

from __future__ import annotations

from collections import Counter, defaultdict
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from lives import Lives

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.inputs import ApprovalGiven, ServerCallUpdate

SET = 'resources_required: [{part}], timeout_s: 30.0, approve: false'
TOOLS = (
    *(
        f'robot.tools.{name}={{action: {{name: /{name}, type: demo/action/Do}}, args: {{}}, '
        f'{SET.format(part=part)}}}'
        for name, part in (('one', 'mast'), ('two', 'camera'), ('three', 'mast'))
    ),
    'robot.tools.again={action: {name: /again, type: demo/action/Do}, args: {}, '
    'idempotent: true, timeout_s: 30.0, approve: false}',
    'robot.tools.seen={action: {name: /seen, type: demo/action/Do}, args: {}, '
    'postcondition: {mast: open}, timeout_s: 30.0, approve: false}',
    'robot.tools.look={service: {name: /look, type: demo/srv/Look}, reads_only: true, args: {}, '
    'timeout_s: 5.0, idempotent: true, result: {ok: ok, reason: why}}',
    'robot.tools.say={topic: {name: /say, type: std_msgs/msg/UInt8}, set: {data: 1}}',
)
LASTS_S = 0.6  # what a server does
STEP_S = 0.2


@dataclass
class Job:
    """What a server was asked for."""

    server_call_id: str
    name: str
    ends_at: float
    how: CallInput
    is_action: bool
    accepted: bool = False
    told: bool = False


class CompositeLives(Lives):
    """A robot with a composite tool `do`, which `plan` says.

    Attributes:
        fails: Server → how often in a row it fails at first.
        never_ends: Servers that do not end by themselves, unless they fail.
        forgets: After a restart the servers know nothing of what they were asked for.
        asked: How often each server was.
    """

    def __init__(self, plan: str, *others: str, **fails: int) -> None:
        self.fails = dict(fails)
        self.never_ends: set[str] = set()
        self.forgets = False
        self.asked: Counter[str] = Counter()
        self._jobs: dict[str, Job] = {}
        self._noted: dict[int, int] = defaultdict(int)
        super().__init__(*TOOLS, f'robot.tools.do={{{plan}}}', *others)

    def begin(self) -> None:
        """The next run: nobody hears the answer of a service that the last one has asked."""
        self._jobs = {key: job for key, job in self._jobs.items() if job.is_action}
        for job in self._jobs.values():
            job.accepted = job.told = False
        super().begin()
        self.it.facts |= {'mast': 'open', 'mast_is_open': True}

    def propose_it(self, **arguments: Any) -> None:
        """The planner proposes the composite."""
        self.it.goal('do it')
        self.go(3)
        self.propose('do', **arguments)

    def by_hand(self) -> None:
        """The operator asks for it."""
        self.it.goal('by hand', tool='do', arguments={})

    def go(self, steps: int = 1) -> None:
        """Time passes for everybody."""
        for _ in range(steps):
            facts = dict(self.it.facts)
            self.all_is_well()
            self.it.status(**facts)
            self.tick(STEP_S)
            self._hear()
            self._work()

    def crashed(self) -> CompositeLives:
        """The same, killed now; this one goes on as if nothing had been."""
        it = copy(self)
        it.asked, it.faults, it.ended, it.has = (
            self.asked.copy(),
            self.faults.copy(),
            self.ended.copy(),
            self.has.copy(),
        )
        it.fails, it.never_ends, it.sent = (
            self.fails.copy(),
            self.never_ends.copy(),
            self.sent.copy(),
        )
        it.store = replace(self.store, puts=self.store.puts.copy())
        it._jobs = {key: replace(job) for key, job in self._jobs.items()}
        it._noted = self._noted.copy()
        it.crash()
        return it

    def crash(self, cut: int | None = None, ros: float | None = None) -> None:
        """The executive alone is killed; its servers work on."""
        self._hear()
        self.has.update(() if self.forgets else self._jobs)
        super().crash(cut, ros)

    def result(self, within_s: float = 60.0) -> ToolResult:
        """What came of the composite: as the planner is told, or the operator."""
        for _ in range(round(within_s / STEP_S)):
            for proposal, result in self.it.context.progress.history:
                if proposal.tool == 'do':
                    return result
            self.go()
        raise AssertionError(f'no result; asked: {dict(self.asked)}')

    def approve(self) -> None:
        """A human agrees to what waits."""
        for _ in range(50):
            if self.it.context.approvals.waiting():
                break
            self.go()
        (request,) = self.it.context.approvals.waiting()
        self.it.inbox.put(ApprovalGiven(request.request_id, 'approve', source='test'))

    def end_what_runs(self) -> None:
        """Servers that would never end are done now."""
        self._hear()
        for job in self._jobs.values():
            job.ends_at = min(job.ends_at, self.it.now)

    def until_asked(self, *names: str) -> None:
        """Until exactly these were asked for, in this order and often."""
        for _ in range(200):
            if self.asked == Counter(names):
                return
            self.go()
        raise AssertionError(f'asked: {dict(self.asked)}')

    def _hear(self) -> None:
        robot = self.it.robot
        for server_call_id, label in robot.sent[self._noted[id(robot)] :]:
            name = label.removeprefix('/')
            if '/' in name:
                continue  # of the adapter
            self.asked[name] += 1
            fails = self.asked[name] <= self.fails.get(name, 0)
            ends = fails or name not in self.never_ends
            ends_at = self.it.now + LASTS_S if ends else float('inf')
            goal = robot.goals.get(server_call_id, '')
            how = CallInput.FAIL if fails else CallInput.SUCCEED
            self._jobs[goal or server_call_id] = Job(
                server_call_id, name, ends_at, how, bool(goal)
            )
        self._noted[id(robot)] = len(robot.sent)

    def _work(self) -> None:
        known, robot = self.it.context.calls, self.it.robot
        for job in self._jobs.values():
            call = known.get(job.server_call_id)
            if call is None or call.ended or job.told:
                continue
            if job.is_action and not job.accepted:
                job.accepted = True
                self.it.inbox.put(ServerCallUpdate(job.server_call_id, CallInput.ACCEPT))
            if job.server_call_id in robot.cancelled:
                job.told = True
                self.it.inbox.put(ServerCallUpdate(job.server_call_id, CallInput.CANCELLED))
            elif self.it.now >= job.ends_at:
                job.told = True
                self.it.inbox.put(ServerCallUpdate(job.server_call_id, job.how, {'ok': True}))
