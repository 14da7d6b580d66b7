"""Whether a viewer keeps up with the demo's goal: py_trees_js, which draws py-trees-tree-viewer.

Real processes, and the viewer's library in Chromium. Each second the latest snapshot is handed to
the page, unless it still draws the one before, which leaves that one undrawn. Beside it, how long
the library lays out the tree at rest, with the largest tool, and the whole of it.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
import itertools
import json
import math
from pathlib import Path
import statistics
import tempfile
import time
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees_ros_interfaces.msg import BehaviourTree
from py_trees_ros_interfaces.srv import OpenSnapshotStream
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.serialization import deserialize_message

from bench._browser import CHROMIUM, Page, running_browser
from bench._driven_system import DrivenSystem
from bench._figures import report
from bench._py_trees_js import as_js, fetch, opened
from bench.tick_cost import idle_executive
from bt_executive.ros.tree_stream.tree_host_choice import give_stable_ids
from bt_executive.ros.tree_stream.tree_message_of_tick import (
    BehaviourMessages,
    TickStatistics,
    tree_message,
)
from bt_executive.tree.subtrees_on_demand import fully_planted, on_demand_in
from rover_common.ros.qos import LATCHED

NAMES = ('executive', 'curiosity_adapter', 'rover', 'environment_simulator')
GOAL = 'demo_ground_texture'
PERIOD_S = 1.0
ROUNDS = 5
MOST_BEHAVIOURS = 80


def run() -> bool:
    """Measure and print; True if every target is met."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        missing = fetch(folder) if CHROMIUM else 'chromium is not installed'
        if missing:
            print(f'The viewer cannot be measured: {missing}')
            return report('snapshots left undrawn', math.nan, at_most=0.0)
        with running_browser(folder) as browser:
            _layouts(opened(browser.page(), folder))
            return _follow(folder, opened(browser.page(), folder))


def _layouts(page: Page) -> None:
    """The time of a tree of each size from nothing to the screen."""
    root = idle_executive().root
    _layout(page, 'at rest', root)
    with fully_planted(root):
        _layout(page, 'everything planted', root)
    selected = next(each for each in on_demand_in(root) if each.name == 'Run the tool')
    sizes = {tool: _size(tool) for tool in selected.subtrees}
    largest = max(sizes, key=lambda each: sizes[each])
    selected.subtrees = (largest,)
    with fully_planted(root):
        _layout(page, f'every branch, and {largest.name}', root)


def _size(tool: Behaviour) -> int:
    with fully_planted(tool):
        return len(list(tool.iterate()))


def _layout(page: Page, what: str, root: Behaviour) -> None:
    give_stable_ids(root)
    behaviours = BehaviourMessages(root).of_tick(())
    raw = tree_message(behaviours, True, [], [], TickStatistics())
    tree = as_js(deserialize_message(raw, BehaviourTree))
    root_id, only = next(iter(tree['behaviours'].items()))
    alone = {**tree, 'behaviours': {root_id: {**only, 'children': []}}}
    taken = []
    for _ in range(ROUNDS):
        _draw(page, alone)
        taken.append(_draw(page, tree))
    number = len(tree['behaviours'])
    report(f'{what}: {number} behaviours drawn in', statistics.median(taken), 'ms')


def _draw(page: Page, tree: dict[str, Any]) -> float:
    """Until it is painted, in ms."""
    return float(page.do(f'draw({json.dumps(tree)})'))


def _follow(folder: Path, page: Page) -> bool:
    """Pursues the goal, while a snapshot a second is drawn."""
    system = DrivenSystem(folder / 'run', NAMES, ())
    try:
        system.find_services()
        latest: list[BehaviourTree] = []
        system.listen(BehaviourTree, _stream(), latest.append, LATCHED)
        system.until(lambda: latest, 'a snapshot')
        with ThreadPoolExecutor(1) as beside:
            return _drawn_meanwhile(system, beside, page, latest)
    finally:
        system.end()


def _drawn_meanwhile(
    system: DrivenSystem, beside: ThreadPoolExecutor, page: Page, latest: list[BehaviourTree]
) -> bool:
    ending = system.pursue(GOAL)
    drawing: Future[float] | None = None
    taken: list[float] = []
    undrawn, sizes, received = 0, [0], 0
    clock = itertools.count(time.monotonic(), PERIOD_S)
    while not ending.done():
        due = next(clock)
        system.until(partial(_is_over, ending, due), 'the next second')
        sizes += [len(each.behaviours) for each in latest]
        received += len(latest)
        if drawing is not None and not drawing.done():
            undrawn += 1
            continue
        taken += [drawing.result()] if drawing is not None else []
        if latest:
            drawing = beside.submit(_draw, page, as_js(latest[-1]))
            latest.clear()
    print(f'{GOAL}: {received} snapshots came, {len(taken)} were drawn, one a second')
    report('a snapshot of the goal, drawn, median', statistics.median(taken), 'ms')
    report('the same, longest', max(taken), 'ms')
    met = report('behaviours in a snapshot, at most', max(sizes), at_most=MOST_BEHAVIOURS)
    return report('snapshots left undrawn', undrawn, at_most=0.0) and met


def _is_over(ending: rclpy.task.Future, due: float) -> bool:
    return bool(ending.done()) or time.monotonic() >= due


def _stream() -> str:
    """Opens a snapshot stream, as the viewer does; returns its topic."""
    node = rclpy.create_node('viewer')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    client = node.create_client(OpenSnapshotStream, 'executive/snapshot_streams/open')
    client.wait_for_service()
    request = OpenSnapshotStream.Request()
    request.parameters.snapshot_period = PERIOD_S
    asked = client.call_async(request)
    executor.spin_until_future_complete(asked)
    node.destroy_node()
    return str(asked.result().topic_name)
