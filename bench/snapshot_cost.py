"""What viewers cost per tick: a tree of 80 behaviours, with none, one and two of them.

Ours and, where it can be imported, py_trees_ros stand side by side in this process and tick in
turn, each with trees and nodes of its own; the viewers are other processes. Every tick sends a
message. `share` of the behaviours say something new at each tick. Counted is the processor time of
the ticking thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import importlib.util
from pathlib import Path
import random
import statistics
import subprocess
import sys
import time
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees_ros_interfaces.srv import OpenSnapshotStream
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from bench._figures import report
from bt_executive.ros.tree_stream.own_tree_host import OwnTreeHost
from bt_executive.ros.tree_stream.tree_host_choice import TreeHost

MakeHost = Callable[[Node, Behaviour, Callable[[], dict[str, object]]], TreeHost]

BEHAVIOURS = 80  # as many as the executive has at most
GROUPS, LEAVES = 7, 72
TICKS = 150
PAUSE_S = 0.004  # between ticks, so that what was sent is received before the next
SHARES = (0.0, 0.1, 1.0)
COST_TARGET = 1 / 4  # of py_trees_ros's extra cost
SECOND_TARGET = 0.10  # of a tick with one viewer
VIEWER = Path(__file__).with_name('_snapshot_viewer.py')


class Talker(Behaviour):
    """Succeeds; now and then its feedback changes."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(name)
        self.share = 0.0
        self._number = number
        self._ticks = 0

    def update(self) -> Status:
        """Speaks."""
        self._ticks += 1
        if self._number % 10 < self.share * 10:
            self.feedback_message = f'tick {self._ticks} of behaviour {self._number}'
        return Status.SUCCESS


class Subject:
    """One tree on one node, and what its ticks cost."""

    def __init__(self, name: str, viewers: int, make: MakeHost | None) -> None:
        self.talkers = [Talker(f'talker {number}', number) for number in range(LEAVES)]
        self.root = _tree(self.talkers)
        self.node = rclpy.create_node(name)
        self.host = make(self.node, self.root, dict) if make else None
        self.topics = [self._open() for _ in range(viewers)]
        self.spans: list[float] = []

    def tick(self) -> None:
        """Ticks once, and notes the s of processor time that it took this thread."""
        began = time.thread_time()
        if self.host:
            self.host.before_tick()
            self.host.after_tick(list(self.root.tick()))
        else:
            list(self.root.tick())
        self.spans.append(time.thread_time() - began)

    def _open(self) -> str:
        name = f'{self.node.get_name()}/snapshot_streams/open'
        client = self.node.create_client(OpenSnapshotStream, name)
        executor = SingleThreadedExecutor()
        executor.add_node(self.node)
        future = client.call_async(OpenSnapshotStream.Request())  # period 0: at every tick
        executor.spin_until_future_complete(future)
        executor.remove_node(self.node)
        return str(future.result().topic_name)


def run() -> bool:
    """Measure, print a table for each share, and report whether the targets are met."""
    rclpy.init()
    try:
        hosts = _hosts()
        subjects = {'bare': Subject('bare', 0, None)}
        for name, make in hosts.items():
            for viewers in range(3):
                key = f'{name}_{viewers}'
                subjects[key] = Subject(f'measured_{key}', viewers, make)
        with _viewers(subjects.values()):
            met = [_measure(share, hosts, subjects) for share in SHARES]
            return all(met)
    finally:
        rclpy.try_shutdown()


def _hosts() -> dict[str, MakeHost]:
    hosts: dict[str, MakeHost] = {'ours': OwnTreeHost}
    if importlib.util.find_spec('py_trees_ros'):
        from bt_executive.ros.tree_stream.distribution_tree_host import DistributionTreeHost

        hosts['py_trees_ros'] = DistributionTreeHost
    return hosts


def _tree(talkers: list[Talker]) -> Behaviour:
    groups = [
        py_trees.composites.Sequence(f'group {number}', False, list(talkers[number::GROUPS]))
        for number in range(GROUPS)
    ]
    root = py_trees.composites.Sequence('root', False, list(groups))
    assert len(list(root.iterate())) == BEHAVIOURS
    return root


@contextmanager
def _viewers(subjects: Any) -> Iterator[None]:
    """One process for the first viewer of each subject, another for the second."""
    firsts = [subject.topics[0] for subject in subjects if subject.topics]
    seconds = [subject.topics[1] for subject in subjects if len(subject.topics) > 1]
    children = [
        subprocess.Popen([sys.executable, str(VIEWER), *topics]) for topics in (firsts, seconds)
    ]
    try:
        deadline = time.monotonic() + 20.0
        nodes = [(subject.node, topic) for subject in subjects for topic in subject.topics]
        while not all(node.count_subscribers(topic) for node, topic in nodes):
            if time.monotonic() > deadline:
                raise TimeoutError('the viewers did not come within 20 s')
            time.sleep(0.05)
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


def _measure(share: float, hosts: dict[str, MakeHost], subjects: dict[str, Subject]) -> bool:
    for subject in subjects.values():
        subject.spans = []
        for talker in subject.talkers:
            talker.share = share
    order, rng = list(subjects.values()), random.Random(1)
    for _ in range(TICKS):
        rng.shuffle(order)  # whoever follows its like finds its code in the processor's cache
        for subject in order:
            subject.tick()
            time.sleep(PAUSE_S)
    medians = {name: statistics.median(each.spans) * 1e3 for name, each in subjects.items()}
    bare = medians['bare']
    print(f'{share:.0%} of {BEHAVIOURS} behaviours change; a bare tick takes {bare:.2f} ms')
    extra, met = {}, True
    for name in hosts:
        none, one, two = (medians[f'{name}_{viewers}'] for viewers in range(3))
        extra[name] = one - none
        second = (two - one) / one
        what = f'{name}, {share:.0%} changed'
        report(f'{what}: nobody looks, more', none - bare, 'ms')
        report(f'{what}: one viewer, more', one - none, 'ms')
        most = SECOND_TARGET * 100.0 if name == 'ours' else None
        met &= report(f'{what}: a second one, of the tick', second * 100.0, '%', at_most=most)
    if len(hosts) > 1:
        ratio = extra['ours'] / extra['py_trees_ros']
        met &= report(f'ours / py_trees_ros, {share:.0%} changed', ratio, at_most=COST_TARGET)
    return met
