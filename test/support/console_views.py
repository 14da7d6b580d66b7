"""Views of the console for tests: what it knows in a few typical moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, HCIState, Mode, TasksState, UserInterruptType
from bt_executive.core.surroundings_state import WorldState
from bt_executive.view.current_presence_events_and_scores import CurrentView, Score
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.run_view import RunView

GOAL = '地面のテクスチャを調査して（Analyze the ground texture）'
ROBOT = RobotState(
    battery_pct=87.0,
    battery_state='OK',
    battery_at=1.0,
    pose_at=1.0,
    parts={'mast': 'open', 'mast_is_open': True},
    moving=False,
)
TREE = TreeNode(
    'Executive',
    'running',
    children=(
        TreeNode('Look at the world', 'success', 'EXEC'),
        TreeNode(
            'Act by priority',
            'running',
            children=(
                TreeNode(
                    'Stay safe', 'failure', children=(TreeNode('Safety event?', 'failure', 'no'),)
                ),
                TreeNode(
                    'Pursue the goal',
                    'running',
                    children=(
                        TreeNode('Goal active?', 'success', GOAL),
                        TreeNode(
                            'One round',
                            'running',
                            children=(
                                TreeNode('Check the proposal', 'success', 'allowed'),
                                TreeNode(
                                    'Run the tool',
                                    'running',
                                    children=(
                                        TreeNode('mast_open?', 'failure', 'no'),
                                        TreeNode('Mast closed?', 'failure', 'Need to close mast'),
                                        TreeNode('Drive', 'running', '1.2 s left'),
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
                TreeNode('Idle', 'invalid', 'waiting for a goal'),
            ),
        ),
    ),
)
REQUEST = {
    'id': 'ask-0a1b2c',
    'tool': 'move_forward',
    'arguments': {'duration_s': 2},
    'risk': 'Moves the rover',
    'reason': '明るい場所を探します',
    'expires_at': 1060.0,
}

STARTING = CurrentView()
IDLE = CurrentView('ready', state=BrainState(robot=ROBOT), tree=TREE)
DRIVING_STATE = BrainState(
    robot=ROBOT,
    tasks=TasksState(
        queue=(
            Task('one', GOAL, status='ACTIVE', received_at=100.0),
            Task('two', 'take a picture of the big rock'),
        ),
        active_task_id='one',
        mode=Mode.EXEC,
    ),
)
DRIVING = replace(
    IDLE,
    state=DRIVING_STATE,
    now=142.0,
    scores=(Score(0.0, False), Score(0.48, False), Score(0.96, True)),
    streamed_text='暗いので、マストを回して別の方向を見ます。',
)
ASKED = replace(
    DRIVING, requests=(REQUEST,), clock_offset_s=1000.0, question='左ですか、右ですか？'
)
SAFE_STATE = BrainState(
    robot=replace(ROBOT, battery_pct=12.0, battery_state='LOW'),
    world=WorldState(safety_reason='cliff ahead'),
    tasks=TasksState(mode=Mode.SAFE, preempt_reason='safety event: cliff ahead', held_since=100.0),
)
SAFE = replace(IDLE, state=SAFE_STATE, now=142.0)
CHARGE = replace(
    DRIVING,
    state=replace(
        DRIVING_STATE,
        tasks=replace(
            DRIVING_STATE.tasks,
            mode=Mode.CHARGE,
            preempt_reason='battery low: 18 %',
            held_since=22.0,
        ),
    ),
)
PAUSED = replace(
    DRIVING,
    state=replace(
        DRIVING_STATE,
        hci=HCIState(
            user_interrupt=UserInterruptType.PAUSE, interrupt_payload={'source': 'the console'}
        ),
        tasks=replace(DRIVING_STATE.tasks, mode=Mode.IDLE, preempt_reason='pause by the operator'),
    ),
)


def run_of(view: CurrentView, summaries: Sequence[Mapping[str, Any]] = ()) -> RunView:
    """A run of which this is known now. `summaries`: of its goals."""
    run = RunView()
    run.current = view
    run.story.goals = [GoalStory('', 0.0, 0.0, summary=each) for each in summaries]
    return run


LOST = CurrentView('lost', since=-70.0)
ALL = {
    'starting': STARTING,
    'idle': IDLE,
    'driving': DRIVING,
    'asked': ASKED,
    'safe': SAFE,
    'charge': CHARGE,
    'paused': PAUSED,
    'lost': LOST,
}
