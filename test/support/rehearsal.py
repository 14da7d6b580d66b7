"""A rehearsal: the whole shipped tree against robot, planner and operator that do what they like.

After every tick it checks what must hold in every tick, from its own record of what went out to
the robot, not from what the executive believes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from tree_bench import TreeBench
from watched_cast import STOPS, RecordingBook, TalkingPlanner, WatchedRobot

from bt_executive.core.executive_ports import PlannerFailure
from bt_executive.core.given_permits import Permits
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalReceived,
    Input,
    PoseReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from bt_executive.core.state import Mode, state_from_json, state_to_json
from bt_executive.tree.persistent_state import PersistentState
from bt_executive.tree.subtrees_on_demand import OnDemand, fully_planted

BREAKAGE = 'broken on purpose'
MOST_BEHAVIOURS = 80  # in the tree at any moment; viewers need time for each


class Rehearsal:
    """A bench whose parts watch, and a `step` that checks every tick."""

    def __init__(self, bench: TreeBench) -> None:
        self.bench = bench
        self.calls = RecordingBook()
        self.robot = bench.robot = WatchedRobot(bench.inbox, self.calls)
        self.planner = TalkingPlanner()
        known = PersistentState(Permits(self.robot.permit), calls=self.calls)
        bench.recast(known, robot=self.robot, planner=self.planner)
        self.context = bench.context
        self.robot.watch(self.context)
        self.goals = bench.reporter
        self.asked: list[str] = []  # task ids
        self._waiting: list[Input] = []
        self._stops_said = 0
        self._broken: Behaviour | None = None

    def put(self, event: Input) -> None:
        """Something happens before the next tick."""
        self._waiting.append(event)
        self.context.inbox.put(event)

    def ask(self, words: str, kind: str = 'normal', **fields: Any) -> None:
        """Somebody asks for a goal, or says something."""
        task_id = f'goal-{len(self.asked) + 1}'
        self.asked.append(task_id)
        self._stops_said += kind == 'stop'
        self.put(GoalReceived(Task(task_id=task_id, goal=words, **fields)))

    def break_leaf(self, number: int) -> None:
        """A leaf below the branches raises, once, when it is ticked next."""
        with fully_planted(self.bench.executive.root) as root:
            leaves = [node for node in root.children[-1].iterate() if not node.children]
        leaf = leaves[number % len(leaves)]

        def update() -> Status:
            self.mend_leaf()
            raise RuntimeError(BREAKAGE)

        self.mend_leaf()
        vars(leaf)['update'] = update
        self._broken = leaf

    def mend_leaf(self) -> None:
        """Takes back what `break_leaf` did, if it has not happened yet."""
        if self._broken is not None:
            del vars(self._broken)['update']
            self._broken = None

    def pass_time(self, after: float, heard: bool = True) -> None:
        """A tick, before which the adapter repeats its last word, if it is heard."""
        self.bench.now += after
        if heard:
            self.bench.status()
        self.step(0.0)

    def step(self, after: float) -> None:
        """A tick `after` s later, with every check."""
        events, self._waiting = self._waiting, []
        stop_wanted = self._stops_said or any(isinstance(each, StopRequested) for each in events)
        self._stops_said = 0
        was_safe = self.context.state.tasks.mode is Mode.SAFE
        was_idle = self._nothing_runs()
        before = len(self.robot.sent)
        self.bench.now += after
        report = self.bench.executive.step(self.bench.moment)
        stopped = any(name in STOPS for _, name in self.robot.sent[before:])
        safe = self.context.state.tasks.mode is Mode.SAFE
        assert report.mode == self.context.state.tasks.mode.value
        if any(isinstance(each, SafetyEvent) for each in events) or self._stands_unsafe():
            assert safe, f'not SAFE in the tick of {events}'
        if safe and not was_safe:
            assert stopped, 'SAFE without a stop'
        if stop_wanted:
            assert stopped, "an operator's stop without a stop"
        if was_idle and self._nothing_runs():
            assert not self.calls.leases.holders, 'a lease that nobody uses'
        self.check()

    def check(self) -> None:
        """What holds after every tick."""
        assert not self.robot.faults, self.robot.faults
        assert not self.planner.faults, self.planner.faults
        self._no_contained_exception()
        self._no_motion_alone()
        self._calls_are_owned()
        self._one_active_branch()
        self._nothing_idle_is_planted()
        assert len(self.calls.terminal) == len(set(self.calls.terminal)), 'two terminal entries'
        told = self.goals.ended_ids
        assert len(told) == len(set(told)), f'told twice: {told}'
        state = self.context.state
        assert state_from_json(state_to_json(state)) == state

    def is_running(self, name: str) -> bool:
        """Whether the node of that name is under way."""
        return any(node.name == name for node in self._running())

    def drain(self) -> None:
        """Time passes until nothing is left of what was begun."""
        self.robot.absent = set()
        self.mend_leaf()
        for _ in range(100 + 40 * len(self.asked)):
            self.bench.now += 5.0
            self.put(BatteryReceived(self.bench.now, 100.0))
            self.put(PoseReceived(self.bench.now, 0.0, 0.0, 0.0))
            self.put(ResumeRequested('the end'))
            self.put(ResetRequested('the end'))
            self.bench.status(mast_is_open=False, mast='closed', moving=False)
            if self.planner.thinks:
                self.planner.say(PlannerFailure('the end'))
            self.step(0.0)
            if self.context.state.tasks.mode is Mode.IDLE and not self.calls.running():
                break
        self.bench.status()
        self.step(0.1)
        assert sorted(self.goals.ended_ids) == sorted(self.asked)
        assert sorted(self.calls.terminal) == sorted(self.calls.opened)
        assert not self.calls.leases.holders
        assert self.context.state.tasks.mode is Mode.IDLE
        assert not any(
            node.planted()
            for node in self.bench.executive.root.iterate()
            if isinstance(node, OnDemand)
        ), 'a subtree of something that has ended'

    def _stands_unsafe(self) -> bool:
        robot, executive = self.context.state.robot, self.context.config.executive
        silent = robot.status_at is not None and (
            self.bench.now - robot.status_at > executive.guards.adapter_status_max_age_s
        )
        return silent or robot.pose.tilt > executive.safety.max_tilt_rad

    def _nothing_runs(self) -> bool:
        return not self.context.state.tasks.queue and not self.calls.running()

    def _no_contained_exception(self) -> None:
        reason = self.context.state.world.safety_reason
        if 'in Executive' in reason:
            assert BREAKAGE in reason, reason

    def _no_motion_alone(self) -> None:
        call = self.robot.driving
        if call:
            why = self.robot.why_no_motion()
            assert not why, f'{call} still drives although: {why}'
            assert call in self._running_calls(), f'{call} drives and nobody watches it'

    def _calls_are_owned(self) -> None:
        for call in self.calls.running():
            owned = call.call_id in self.calls.finished | self._running_calls()
            assert owned, f'{call} has no owner'
            assert not call.overdue(self.bench.moment), f'{call} is overdue'

    def _one_active_branch(self) -> None:
        root = self.bench.executive.root
        assert root.status is not Status.INVALID
        for node in self._running():
            assert node.parent is None or node.parent.status is Status.RUNNING, node.name
            siblings = [each for each in node.children if each.status is Status.RUNNING]
            assert len(siblings) <= 1, [each.name for each in siblings]

    def _nothing_idle_is_planted(self) -> None:
        nodes = list(self.bench.executive.root.iterate())
        assert len(nodes) <= MOST_BEHAVIOURS
        for node in nodes:
            if isinstance(node, OnDemand) and node.status is not Status.RUNNING:
                idle = [each for each in node.planted() if each.status is Status.INVALID]
                assert not idle, f'{node.name}: {[each.name for each in idle]}'

    def _running(self) -> Iterator[Behaviour]:
        root = self.bench.executive.root
        return (node for node in root.iterate() if node.status is Status.RUNNING)

    def _running_calls(self) -> set[str]:
        return {getattr(node, '_call_id', '') for node in self._running()} - {''}
