"""A call that is not wanted any more: its thread unwinds, its connection goes, its answer too."""

from __future__ import annotations

import gc
import random
import sys
import threading
import time
from typing import Any

import model_server as faults
from planner_world import TOOLSETS, next_output
import psutil
import pytest
from waiting import wait_until

from bt_executive.core.executive_ports import PlannerContext

pytestmark = pytest.mark.long

GOAL = 'What is your status?'
ROUNDS, GOALS = 12, 50  # in a round; beside much else one seldom is quiet
# 50 kB for each goal of a round: a body or a stack. Less is seen in Python's blocks;
# the allocator of C takes up to 15 kB a goal in a process that has run thousands of tests.
LEAST_LEAK_BYTES = GOALS * 50_000
HANGS = {
    'before the answer': faults.silence,
    'in a silent stream': faults.silent_stream,
    'in an endless stream': faults.endless_stream,
    'in a dripping stream': faults.dripping_stream,
}
# Longer than a test waits: what ends before was ended by the cancel.
PATIENT = {'connect_s': 5.0, 'silence_s': 600.0, 'whole_s': 600.0, 'max_bytes': 1_000_000_000}


def planner_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith('planner-')]


def server_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if 'process_request_thread' in each.name]


@pytest.mark.parametrize('hang', HANGS)
@pytest.mark.parametrize('provider', ['openai', 'anthropic', 'ollama'])
def test_a_cancel_ends_thread_and_connection(
    planner_for: Any, server: Any, provider: str, hang: Any
) -> None:
    server.always = HANGS[hang]
    planner = planner_for(provider, planner__request=PATIENT)
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    wait_until(lambda: server.asked and server.open)
    planner.cancel()
    wait_until(lambda: not planner_threads())
    wait_until(lambda: not server.open)
    assert planner.poll() is None


def test_a_cancel_during_the_wait_for_the_next_try(planner_for: Any, server: Any) -> None:
    server.always = faults.status(500)
    retry = {'attempts': 5, 'first_wait_s': 600.0, 'longest_wait_s': 600.0}
    planner = planner_for('openai', planner__retry=retry)
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    wait_until(lambda: server.asked)
    planner.cancel()
    wait_until(lambda: not planner_threads())
    assert len(server.asked) == 1


def test_a_new_goal_is_not_touched_by_the_old_ones_end(planner_for: Any, server: Any) -> None:
    server.faults.append(faults.silence)
    planner = planner_for('openai', planner__request=PATIENT)
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    wait_until(lambda: server.asked)
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    assert next_output(planner).tool == 'get_status'


def grows(rounds: list[tuple[int, int, int, int, int]]) -> bool:
    """Whether the last round of goals left as much behind as a leak would."""
    before, last = rounds[-2:]
    one_object_per_goal = last[2] - before[2] >= GOALS
    two_blocks_per_goal = last[3] - before[3] >= 2 * GOALS  # strings are blocks and no objects
    return one_object_per_goal or two_blocks_per_goal or last[4] - before[4] >= LEAST_LEAK_BYTES


def test_goals_cancelled_at_random_moments_leave_nothing_behind(
    planner_for: Any, server: Any, record_property: Any
) -> None:
    """A leak adds something in each round of goals; an allocator that grows does not."""
    planner = planner_for('openai', planner__request=PATIENT)
    process, chance = psutil.Process(), random.Random(4)

    def preempt() -> tuple[int, int, int, int, int]:
        """Threads, descriptors, Python's objects and blocks, and bytes after a round of goals."""
        for _ in range(GOALS):
            server.faults.append(chance.choice([None, *HANGS.values()]))
            planner.start(GOAL, PlannerContext(TOOLSETS['B']))
            time.sleep(chance.uniform(0.0, 0.06))  # the random moment
            planner.cancel()
            planner.news()
        server.faults.clear()
        server.asked.clear()
        server.bodies.clear()
        wait_until(lambda: not planner_threads())
        wait_until(lambda: not server_threads())  # they close what is open
        gc.collect()
        python = len(gc.get_objects()), sys.getallocatedblocks()
        return threading.active_count(), process.num_fds(), *python, process.memory_info().rss

    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    next_output(planner)  # the server's own model has loaded
    rounds = [preempt(), preempt()]  # caches fill, modules load
    while grows(rounds) and len(rounds) < ROUNDS:
        rounds.append(preempt())
    record_property('threads_fds_objects_blocks_rss', str(rounds))
    first, last = rounds[0], rounds[-1]
    assert last[0] <= first[0]
    assert last[1] <= first[1]
    assert not grows(rounds), 'each round took more objects or memory'
