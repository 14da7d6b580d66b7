"""The board: the executive's state as keys and values, for viewers. docs/viewers.md has the keys.

Our behaviours share a `Context`, not py_trees' blackboard, which is one dictionary per process.
The board is written after a tick, and no behaviour reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from py_trees.behaviour import Behaviour
from py_trees.common import Access

from bt_executive.ros.tree_stream.blackboard_text_and_changes import Board
from bt_executive.tree.behaviours.planning.ask_planner_and_check_proposal import (
    AskPlanner,
    CheckProposal,
)
from bt_executive.tree.behaviours.planning.evaluate_round import EvaluateRound
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard, HoldResources
from bt_executive.tree.context_roles import ReadAccess


@dataclass(frozen=True)
class BoardPose:
    """Position in m and heading in rad, in the world frame, rounded for viewers."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0

    def __str__(self) -> str:
        return f'x {self.x:.2f} m, y {self.y:.2f} m, yaw {self.yaw:.2f} rad'


@dataclass(frozen=True)
class BoardBattery:
    """Charge in percent, None if it is not known, and its state."""

    percent: float | None = None
    state: str = ''

    def __str__(self) -> str:
        return self.state if self.percent is None else f'{self.percent:.1f} % {self.state}'


# Which behaviours read and write which keys: viewers show this, and can follow the visited path.
# PARTS stands for a key for each of the robot's parts, by its name in robot.yaml.
PARTS = '/<part>'
READS: dict[type[Behaviour], tuple[str, ...]] = {
    AskPlanner: ('/goal',),
    CheckProposal: ('/proposal', '/mode', '/leases'),
    Guard: ('/proposal', PARTS, '/moving', '/pose'),
    EvaluateRound: ('/proposal', '/verdict', '/goal'),
}
WRITES: dict[type[Behaviour], tuple[str, ...]] = {
    Sense: ('/mode', '/goal', '/safety', '/battery', PARTS, '/moving', '/pose'),
    AskPlanner: ('/proposal',),
    CheckProposal: ('/verdict',),
    Guard: ('/verdict',),
    HoldResources: ('/leases', '/running'),
    EvaluateRound: ('/decision', '/last_score'),
}


def read_board(access: ReadAccess) -> Board:
    """The board after a tick. To be called in the tick thread."""
    state = access.state
    robot, task, this = state.robot, access.task, access.round
    proposal, decision = this.proposal, state.react.decision
    board: Board = {
        '/mode': state.tasks.mode.value,
        '/goal': task.goal if task else None,
        '/safety': state.world.safety_reason or None,
        '/proposal': f'{proposal.tool} {dict(proposal.arguments)}' if proposal else None,
        '/verdict': (this.verdict.reason or 'allowed') if this.verdict else None,
        '/decision': ' '.join((decision.type.value, decision.reason)).strip()
        if decision
        else None,
        '/running': ', '.join(each.skill_name for each in state.skills.running) or None,
        '/leases': ', '.join(f'{name}: {by}' for name, by in access.holders.items()) or None,
        '/last_score': state.world.last_score,
        '/battery': BoardBattery(
            None if robot.battery_pct is None else round(robot.battery_pct, 1), robot.battery_state
        ),
        '/moving': robot.moving,
        '/pose': BoardPose(
            round(robot.pose.x, 2), round(robot.pose.y, 2), round(robot.pose.yaw, 2)
        ),
    }
    of_parts = {f'/{name}': value for name, value in robot.parts.items()}
    return {**board, **{key: value for key, value in of_parts.items() if key not in board}}


def declare_access(root: Behaviour, parts: Iterable[str]) -> None:
    """Registers in py_trees which keys each behaviour reads and writes. `parts`: of the robot."""
    of_parts = [f'/{name}' for name in parts]
    for node in root.iterate():
        reads, writes = (
            [key for each in table.get(type(node), ()) for key in _keys(each, of_parts)]
            for table in (READS, WRITES)
        )
        if not reads and not writes:
            continue
        client = node.attach_blackboard_client(name=node.name)
        for key in reads:
            client.register_key(key, Access.READ)
        for key in writes:
            client.register_key(key, Access.WRITE)


def _keys(key: str, of_parts: Sequence[str]) -> Sequence[str]:
    return of_parts if key == PARTS else (key,)
