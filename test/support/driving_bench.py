"""The tree's bench in the middle of a nudge, and what its tests ask and tell it."""

from __future__ import annotations

from typing import Any

from tree_bench import TreeBench, make_bench, propose

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import BatteryReceived, ResetRequested
from bt_executive.core.state import Mode

MOVE, STOP = '/adapter/move_forward', '/adapter/move_stop'
STOW = '/adapter/mast_close'
ARM = '/arm/stow'
STOWED_BY_AN_ACTION = (  # mast_close is an action, which its server can end
    'tools.mast_close.service=null',
    f'tools.mast_close.action={{name: {ARM}, type: demo/action/Stow}}',
    'tools.mast_close.result={}',
    'tools.mast_close.error_map={}',
)
STOWED_WITH_A_CODE = (  # mast_close says why it failed
    'tools.mast_close.result={ok: success, reason: message, code: code}',
    'tools.mast_close.error_map={}',
)
HURT = {'success': False, 'message': 'the mast hit something', 'code': 'SAFETY_VIOLATION'}
DONE = {'success': True, 'message': ''}
INTERRUPTED = 'Interrupted before it was done'


def driving(*overrides: str, **goal: Any) -> TreeBench:
    """In the middle of a nudge; the planner nudges again, then answers."""
    it = make_bench(
        propose('move_nudge'), propose('move_nudge'), Answer('there'), overrides=overrides
    )
    it.robot.replies = {MOVE: DONE, STOP: DONE, STOW: DONE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('drive', **goal)
    it.until(lambda: MOVE in it.robot.names)
    it.tick(2)
    assert it.robot.names == [MOVE]
    return it


def mode(it: TreeBench) -> Mode:
    return it.context.state.tasks.mode


def battery(it: TreeBench, percent: float) -> None:
    it.inbox.put(BatteryReceived(it.now, percent))
    it.tick()


def reset(it: TreeBench) -> tuple[bool, str]:
    answers: list[tuple[bool, str]] = []
    it.inbox.put(ResetRequested('the operator', lambda ok, words: answers.append((ok, words))))
    it.tick()
    (answer,) = answers
    return answer
