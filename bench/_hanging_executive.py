"""The executive with a planner whose model call never returns."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
import threading

from fakes.core import ScriptedPlanner

from bt_executive.core.executive_ports import PlannerContext
from bt_executive.ros.executive_node import ExecutiveNode
from rover_common.config.settings import Config
from rover_common.ros.run_node import NodeOptions, run_node


class HangingPlanner(ScriptedPlanner):
    """Each goal blocks a thread for ever, as a blocked model call would."""

    def __init__(self, _config: Config, wake: Callable[[], None]) -> None:
        super().__init__(repeat(None), wake)
        self._never = threading.Event()

    def start(self, goal: str, context: PlannerContext) -> None:
        """Hangs, in its own thread."""
        super().start(goal, context)
        threading.Thread(target=self._never.wait, name=f'hangs: {goal}', daemon=True).start()

    def close(self, within_s: float = 0.0) -> None:
        """Release all threads."""
        super().close(within_s)
        self._never.set()


def make_node(options: NodeOptions) -> ExecutiveNode:
    """The real node, with the hanging planner."""
    return ExecutiveNode(options, plan=HangingPlanner)


if __name__ == '__main__':
    run_node(make_node)
