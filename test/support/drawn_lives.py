"""Lives in which everything is drawn from a seed: also when they end, and what is kept of them."""

from __future__ import annotations

import random

from lives import Lives
from outside import GOOD, INVALID, REFUSED, SERVER_WORDS, VALID

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalReceived,
    Input,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)
from bt_executive.core.store_port import StoreCode
from rover_common.reason import Reason

HAPPENINGS = 60
SETUPS = [(), (), ('approval.mode=always',), ('agent.max_iterations=4',), ('variant=A',)]
TOOLS = [*VALID, ('navigate_to', {'x': 1, 'y': 2}), ('navigate_to', {'x': 3, 'y': 2})]
BOUND = 400


class DrawnLives(Lives):
    """Lives of one robot."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.x = 0.0
        super().__init__(*self.chance.choice(SETUPS))
        self.happenings = [
            *(self.goal, self.goal, self.by_hand, self.proposal, self.proposal, self.proposal),
            *(self.answer, self.answer, self.answer, self.people, self.approval, self.approval),
            *(self.servers, self.disk_changes, self.death, self.death, self.mast),
        ]

    def play(self, happenings: int = HAPPENINGS) -> None:
        """Lets things happen."""
        for _ in range(happenings):
            self.chance.choice(self.happenings)()
            for _ in range(self.chance.choice([0, 1, 1, 2, 4])):
                self.pass_a_tick()

    def pass_a_tick(self) -> None:
        self.x += self.chance.choice([0.0, 0.1])
        self.all_is_well(self.x)
        if self.chance.random() < 0.6:
            self.store.sync()
        self.tick(self.chance.choice([0.02, 0.1, 0.5, 1.0]))

    def finish(self) -> None:
        """All goes well from now on, until every goal has ended."""
        self.store.stands_against, self.store.at_once = None, True
        self.it.robot.absent.clear()
        for _ in range(BOUND):
            if not self.it.context.state.tasks.queue:
                return
            self.store.sync()
            self.it.inbox.put(ResetRequested('me'))
            self.it.inbox.put(ResumeRequested('me'))
            self.it.planner.say(Answer('That is all.'))
            for call in self.it.context.running_calls():
                for word in (CallInput.ACCEPT, CallInput.SUCCEED):
                    self.it.inbox.put(ServerCallUpdate(call.server_call_id, word, GOOD))
            self.approval()
            if self.it.context.state.hci.question:
                self.it.inbox.put(GoalReceived(Task('answer', 'to the east', sender='operator')))
            self.all_is_well(self.x)
            self.tick(0.5)
        raise AssertionError(self.it.context.state.tasks.queue)

    # --- what may happen

    def goal(self) -> None:
        self.ask('look', priority=self.chance.randint(0, 2))

    def by_hand(self) -> None:
        tool, arguments = self.chance.choice(TOOLS)
        self.ask('by hand', tool=tool, arguments=arguments)

    def ask(self, words: str, **fields: object) -> None:
        name = f'{words} {len(self.store.puts)} {self.chance.random():.9f}'
        deadline = self.it.moment.ros + 20.0 if self.chance.random() < 0.1 else None
        self.it.goal(name, deadline=deadline, received_at=self.it.moment.ros, **fields)

    def proposal(self) -> None:
        tool, arguments = self.chance.choice([*TOOLS, *INVALID])
        self.propose(tool, **arguments)

    def answer(self, *_: object, **__: object) -> None:
        if self.it.robot.sent:
            server_call_id, _name = self.chance.choice(self.it.robot.sent[-3:])
            happened = self.chance.choice(SERVER_WORDS)
            fields = self.chance.choice([GOOD, GOOD, REFUSED])
            self.it.inbox.put(ServerCallUpdate(server_call_id, happened, fields))

    def people(self) -> None:
        wanted: list[Input] = [PauseRequested('me'), ResumeRequested('me'), ResetRequested('me')]
        rarely: list[Input] = [
            StopRequested('me'),
            SafetyEvent('cliff', 'me'),
            BatteryReceived(self.it.now, 9.0),
        ]
        self.it.inbox.put(self.chance.choice([*wanted * 3, *rarely]))

    def approval(self) -> None:
        for request in self.it.context.approvals.waiting():
            self.it.inbox.put(ApprovalGiven(request.request_id, 'approve'))

    def servers(self) -> None:
        self.it.robot.absent = self.chance.choice([set(), set(), {'/adapter/move_forward'}])
        self.has.update(
            self.chance.sample(
                list(self.it.robot.goals.values()),
                k=self.chance.randint(0, len(self.it.robot.goals)),
            )
        )

    def mast(self) -> None:
        self.it.facts |= self.chance.choice(
            [{'mast': 'open', 'mast_is_open': True}, {'mast': 'closed', 'mast_is_open': False}]
        )

    def disk_changes(self) -> None:
        self.store.at_once = self.chance.random() < 0.5
        full = Reason(StoreCode.DISK_FULL, 'the disk is full')
        self.store.stands_against = full if self.chance.random() < 0.2 else None

    def death(self) -> None:
        if self.chance.random() < 0.2 and self.store.stands_against is None:
            self.shut_down()
        else:
            self.crash(self.chance.randint(0, len(self.store.puts)))
        self.store.stands_against = None

    def begin(self) -> None:
        """The next life, compared with what the disk says."""
        before = list(self.store.puts)
        super().begin()
        if before:
            self.all_is_well(self.x)
            self.it.executive.step(self.it.moment)
            self.compare()

    def compare(self) -> None:
        state = self.it.context.state
        assert self.saved is not None
        parts = self.saved.parts
        if parts.get('mode', {}).get('safety_reason'):
            assert state.world.safety_reason, 'SAFE has gone'
            return
        found = [task.task_id for task in state.tasks.queue]
        kept = parts.get('goals', {'order': []})['order']
        assert [each for each in kept if each in found] == found, 'the order of the queue'
        for goal_id in kept:
            progress = self.it.context.parked.get(goal_id)
            if goal_id == state.tasks.active_task_id:
                progress = self.it.context.progress
            used = parts.get(f'progress/{goal_id}')
            if used is not None and progress is not None:
                assert progress.steps >= used['steps']
                assert progress.distance_m >= used['distance_m']
                assert progress.usage(self.it.moment).elapsed_s >= used['elapsed_s'] - 1e-6
