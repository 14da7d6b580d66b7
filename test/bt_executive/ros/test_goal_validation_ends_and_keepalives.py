"""Which goals are rejected, ends that are published once on disk, and goals of silent senders."""

from __future__ import annotations

from collections.abc import Callable
import itertools
import json
import os
import subprocess
import sys
import time
import uuid

from bt_executive_interfaces.msg import GoalEnd
from own_executor import own_executor as own_executor
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from spinning import turn_of
from stores import entries_of
from waiting import wait_until

from bt_executive.core import keepalive_leases
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled, Input
from bt_executive.core.store_port import Entry
from bt_executive.ros.client.goal_client import Keepalive
from bt_executive.ros.execute_goal_action import GoalServer
from bt_executive.ros.goal_validation_ends_and_keepalives import (
    LATEST_ENDS,
    SILENT,
    GoalKeepalives,
    goal_rejection,
)
from bt_executive.ros.run_store import RunStore
from rover_common.clocks import Now
from rover_common.config.load import load_config

pytestmark = pytest.mark.ros
NOW = Now.at(0.0)
ANSWER = '明るい'
SUMMARY = {'outcome': 'reached', 'answer': ANSWER, 'steps': 2}


class Executive:
    """The part of the executive that tells ends."""

    def __init__(self, executor: Executor, fresh: bool = False) -> None:
        self.node = Node('subject', context=executor.context)
        executor.add_node(self.node)
        config = load_config()
        began = {'run_id': 'r', 'run_dir': 'runs/r', 'version': '0', 'fresh': fresh}
        self.kept = RunStore(self.node, config, began, NOW, lambda: None)
        self.server = GoalServer(self.node, Inbox(), config, self.kept)

    def end(self, task_id: str) -> None:
        """What the tree does at the end of a goal."""
        self.server.ended(Task(task_id=task_id, goal='go'), SUMMARY)
        end = {'data': {'task_id': task_id, 'goal_ended': SUMMARY}}
        self.kept.store.put(NOW, {}, [Entry('RESULT', end, task_id, 'reached')])

    def die(self) -> None:
        """As after a kill, but with everything on disk."""
        wait_until(self.kept.settled(), 'it is on disk')
        self.kept.store.close(NOW, 'done', 10.0)
        self.node.destroy_node()


@pytest.fixture
def executor(own_executor: Callable[..., Executor]) -> Executor:
    return own_executor()


def listen(executor: Executor) -> list[GoalEnd]:
    """What a client that comes now hears."""
    node = Node('client', context=executor.context)
    executor.add_node(node)
    heard: list[GoalEnd] = []
    node.create_subscription(GoalEnd, '/subject/goal_ends', heard.append, LATEST_ENDS)
    return heard


def test_who_comes_after_the_end_hears_it(executor: Executor) -> None:
    executive = Executive(executor)
    executive.end('one')
    wait_until(executive.kept.settled(), 'it is on disk')
    executive.server.publish_ends()
    heard = listen(executor)
    wait_until(lambda: heard, 'the end', meanwhile=turn_of(executor))
    told = {'task_id': 'one', 'outcome': 'reached', 'answer': ANSWER}
    assert heard == [GoalEnd(**told, summary=json.dumps(SUMMARY, ensure_ascii=False))]


def test_ends_of_the_life_before_are_told_again(executor: Executor) -> None:
    first = Executive(executor)
    first.end('one')
    first.die()
    Executive(executor)
    heard = listen(executor)
    wait_until(lambda: heard, 'the end', meanwhile=turn_of(executor))
    assert [(end.task_id, json.loads(end.summary)) for end in heard] == [('one', SUMMARY)]


def test_a_fresh_start_tells_nothing_of_the_past(executor: Executor) -> None:
    first = Executive(executor)
    first.end('one')
    first.die()
    second = Executive(executor, fresh=True)
    assert second.kept.begins.saved is None
    assert second.kept.earlier_ends == ()


def test_who_looks_into_the_file_takes_nothing_from_the_executive(executor: Executor) -> None:
    first = Executive(executor)
    first.end('one')
    first.die()
    second = Executive(executor)
    assert [each['data']['task_id'] for each in second.kept.earlier_ends] == ['one']
    second.end('two')
    wait_until(second.kept.settled(), 'it is on disk')
    look = 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);'
    look += 'c.execute("SELECT value FROM parts").fetchall(); c.close()'
    subprocess.run([sys.executable, '-c', look, str(second.kept.file)], check=True)
    second.end('three')
    wait_until(second.kept.settled(), 'it is on disk')
    ended = [each.goal_id for each in entries_of(second.kept.file) if each.goal_end is not None]
    assert ended == ['one', 'two', 'three']


def test_an_end_is_not_told_before_it_is_on_disk(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    executive = Executive(executor)
    told: list[str] = []
    on_disk: list[bool] = []
    monkeypatch.setattr(executive.server, '_publish_end', lambda task_id, _: told.append(task_id))
    monkeypatch.setattr(executive.kept, 'settled', lambda: lambda: bool(on_disk))
    executive.end('one')
    executive.server.publish_ends()
    assert not told
    on_disk.append(True)
    executive.server.publish_ends()
    executive.server.publish_ends()
    assert told == ['one']


_names = itertools.count(os.getpid())


def test_the_goal_of_a_silent_sender_is_cancelled(
    own_executor: Callable[..., Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keepalive_leases, 'DISCOVERY_S', 0.0)
    executor, namespace = own_executor(), f'/keepalives_{next(_names)}'
    node = Node('executive', namespace=namespace, context=executor.context)
    client = Node('agent', namespace=namespace, context=executor.context)
    for each in (node, client):
        executor.add_node(each)
    kept, silent, ordinary = (str(uuid.uuid4()) for _ in range(3))
    leases = {kept: 2.0, silent: 1.5, ordinary: 0.0}
    inbox = Inbox()
    keepalives = GoalKeepalives(node, inbox, lambda: leases)
    alive = Keepalive(client)
    happened: list[Input] = []

    def turn() -> None:
        alive.update(time.monotonic(), [kept])
        executor.spin_once(timeout_sec=0.02)
        keepalives.update()
        happened.extend(inbox.drain())

    wait_until(lambda: happened, 'a goal is cancelled', meanwhile=turn)
    assert happened == [GoalCancelled(silent, SILENT.format(1.5))]


NOTHING = 'it has neither words nor a tool'
NO_OBJECT = 'its arguments are not a JSON object: '


@pytest.mark.parametrize(
    ('goal', 'tool', 'arguments', 'reason'),
    [
        ('go', '', '', ''),
        ('', 'wait', '{"seconds": 1}', ''),
        ('', '', '', NOTHING),
        (' \n', '', '', NOTHING),
        ('\ufeff\u200b \u2060', '', '', NOTHING),
        ('\u200b\u3000', '\u2060', '', NOTHING),
        ('x' * 8001, '', '', 'its words: 8001 characters; at most 8000 are taken'),
        ('x' * 20_000_000, '', '', 'its words: 20000000 characters'),
        ('', 't' * 101, '', "its tool's name: 101 characters; at most 100 are taken"),
        ('', 'x' * 1_000_000, '', "its tool's name: 1000000 characters; at most 100 are taken"),
        ('', 'wait', '{"seconds": NaN}', NO_OBJECT),
        ('', 'wait', '{"seconds": -Infinity}', NO_OBJECT),
        ('', 'wait', '{"seconds": 1, "seconds": 9}', NO_OBJECT),
        ('', 'wait', '[1', NO_OBJECT),
        ('', 'wait', '[' * 3000, NO_OBJECT),
        ('', 'wait', '{' + ' ' * 20_000 + '}', 'its arguments: 20002'),
        ('', 'wait', '{"a": "' + 'x' * 1_000_000 + '"}', 'its arguments: 1000009'),
    ],
)
def test_why_a_goal_is_rejected(goal: str, tool: str, arguments: str, reason: str) -> None:
    """As the action and, before it sends a goal, a front end say it."""
    found = goal_rejection(goal, tool, arguments, load_config().executive.goal)
    assert found.startswith(reason) if reason else not found
