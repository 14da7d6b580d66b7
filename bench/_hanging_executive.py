"""The executive with a planner whose model call never returns."""

from __future__ import annotations

from collections.abc import Callable
import threading

from bt_executive.core.ports import ModelUse, PlannerContext, PlannerOutput, ToolResult
from bt_executive.ros.executive_node import ExecutiveNode
from rover_common.config.settings import Config
from rover_common.ros.run_node import NodeOptions, run_node


class HangingPlanner:
    """Each goal blocks a thread of its own for ever."""

    def __init__(self, _config: Config, _wake: Callable[[], None]) -> None:
        self._never = threading.Event()

    def start(self, goal: str, _context: PlannerContext) -> None:
        """Hangs, in its own thread."""
        threading.Thread(target=self._never.wait, name=f'hangs: {goal}', daemon=True).start()

    def poll(self) -> PlannerOutput | None:
        """Nothing, ever."""
        return None

    def give(self, result: ToolResult) -> None:
        """Nobody listens."""

    def cancel(self) -> None:
        """The thread hangs on, as a blocked model call would."""

    def news(self) -> tuple[()]:
        """Nothing, ever."""
        return ()

    def use(self) -> ModelUse:
        """Nothing."""
        return ModelUse()

    def close(self) -> None:
        """Lets all threads end."""
        self._never.set()


def make_node(options: NodeOptions) -> ExecutiveNode:
    """The real node, with the hanging planner."""
    return ExecutiveNode(options, plan=HangingPlanner)


if __name__ == '__main__':
    run_node(make_node)
