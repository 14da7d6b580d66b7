"""Gates of base and arm: what begins beside the other, what waits, and what a restart loses."""

from __future__ import annotations

from typing import Any

import pytest
from tree_bench import TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import PoseReceived, ServerCallUpdate
from rover_common.config.endpoints import names_at_adapter
from rover_common.config.load import load_config

DRIVE, REACH, KNOCK = '/gates/base/straight', '/reach', '/knock'
KNOCKS = 'robot.tools.knock={service: {name: /knock, type: demo/srv/Knock}, idempotent: true}'
TOOLS = (
    'robot.gates.arm={action: /reach}',
    'robot.tools.reach={gate: arm, action: {name: /reach, type: demo/action/Reach}}',
    KNOCKS,
    'robot.tools.inner={sequence: [ knock, { drive: { distance_m: 1 } } ]}',
    'robot.tools.outer={sequence: [ inner ]}',
)
DRIVES = '{ drive: { distance_m: 1 } }'


class Robot:
    """One that is asked for the tool `both`."""

    def __init__(self, plan: str) -> None:
        self.it = TreeBench((), [*TOOLS, f'robot.tools.both={{{plan}}}'], 'turtlebot')
        self.it.inbox.put(PoseReceived(self.it.now, 0.0, 0.0, 0.0, 0.0, stamp=self.it.now))
        self.moves()

    def moves(self, base: bool = False, arm: bool = False) -> None:
        """The gates report what moves."""
        each = {'base': base, 'arm': arm}
        self.it.status(moving=base or arm, moving_at_gates=each)

    def ask(self, tool: str, **arguments: float) -> None:
        """The operator asks for a tool by hand."""
        self.it.goal(tool, tool=tool, arguments=arguments)

    def answer(self, name: str, happened: CallInput) -> None:
        """The server of the latest call of that name answers."""
        server_call_id = next(each for each, sent in reversed(self.it.robot.sent) if sent == name)
        self.it.inbox.put(ServerCallUpdate(server_call_id, happened, {}))

    def until_sent(self, name: str) -> None:
        self.it.until(lambda: name in self.it.robot.names, bound=100)

    def does_not_send(self, name: str) -> None:
        """For as long as nothing else comes; less than a call waits for what stands against it."""
        for _ in range(30):
            self.moves(arm=True)
            self.it.tick(after=0.1)
        assert name not in self.it.robot.names


@pytest.mark.parametrize('beside', [f'{{ sequence: [ knock, {DRIVES} ] }}', 'inner', 'outer'])
def test_a_drive_begins_while_the_executive_moves_the_arm(beside: str) -> None:
    robot = Robot(f'parallel: [ reach, {beside} ]')
    robot.ask('both')
    robot.until_sent(REACH)
    robot.answer(REACH, CallInput.ACCEPT)
    robot.moves(arm=True)
    robot.it.tick()
    robot.answer(KNOCK, CallInput.SUCCEED)
    robot.until_sent(DRIVE)
    assert {*robot.it.context.permits.given} == {'base', 'arm'}


def test_no_drive_begins_while_somebody_else_moves_the_arm() -> None:
    robot = Robot('sequence: [ knock ]')
    robot.moves(arm=True)
    robot.ask('drive', distance_m=1.0)
    robot.does_not_send(DRIVE)


def test_no_drive_begins_while_an_arm_that_was_told_to_end_goes_on() -> None:
    """Its server has not said that it has ended."""
    late = '{ timeout: { seconds: 1, do: reach } }'
    robot = Robot(f'sequence: [ {{ fallback: [ {late}, knock ] }}, {DRIVES} ]')
    robot.ask('both')
    robot.until_sent(REACH)
    robot.answer(REACH, CallInput.ACCEPT)
    robot.moves(arm=True)
    robot.until_sent(KNOCK)
    robot.answer(KNOCK, CallInput.SUCCEED)
    robot.does_not_send(DRIVE)


@pytest.mark.parametrize('happened', [CallInput.SUCCEED, CallInput.FAIL])
def test_the_end_of_a_tool_without_a_permit_withdraws_none(happened: CallInput) -> None:
    """For a robot without gates: both tools stand at the one gate that has no name."""
    navigate = '{ navigate_to: { x: 8, y: 0 } }'
    knocks = '{ fallback: [ knock, { wait: { seconds: 5 } } ] }'
    both = f'robot.tools.both={{parallel: [ {navigate}, {knocks} ]}}'
    it = TreeBench((), [KNOCKS, both])
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, 0.0, stamp=it.now))
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('both', tool='both')
    it.until(lambda: KNOCK in it.robot.names and it.context.permits.given, bound=100)
    before = it.context.permits.at('')
    (knock,) = [each for each, name in it.robot.sent if name == KNOCK]
    it.inbox.put(ServerCallUpdate(knock, happened, {}))
    for _ in range(3):
        it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, 0.0, stamp=it.now))
        it.pass_time(0.1)
    assert it.context.permits.at('') == before
    assert STOP not in it.robot.names


def test_a_motion_that_another_tool_has_stopped_has_failed() -> None:
    """Its server and its gate say nothing of that."""
    robot = Robot(
        f'parallel: [ {DRIVES}, {{ fallback: [ reach, {{ wait: {{ seconds: 9 }} }} ] }} ]'
    )
    it = robot.it
    robot.ask('both')
    robot.until_sent(DRIVE)
    robot.until_sent(REACH)
    for name in (DRIVE, REACH):
        robot.answer(name, CallInput.ACCEPT)
    it.tick()
    robot.answer(REACH, CallInput.FAIL)
    it.tick()
    assert STOP in it.robot.names
    assert not it.context.permits.given
    for _ in range(30):
        it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, 0.0, stamp=it.now))
        it.pass_time(0.1)
    assert it.reporter.endings[0]['answer'].endswith('drive: Another tool has stopped the robot')


STOP = '/adapter/move_stop'  # what the robot of the bench notes for any stop of the base
RESTARTED = 'The adapter was restarted; what it was doing is lost'
AHEAD: dict[str, Any] = {'distance_m': 1.0}
OWN = [
    ('drive', AHEAD, '/gates/base/straight'),
    ('turn', {'angle_rad': 0.5}, '/gates/base/turn'),
    ('drive_arc', {**AHEAD, 'radius_m': 2.0}, '/gates/base/arc'),
]
OTHERS = [
    ('nav2', 'navigate_to', {'x': 2.0, 'y': 1.0}, 'navigate_to_pose'),
]


def under_way(robot: str, tool: str, arguments: dict[str, Any], name: str) -> TreeBench:
    """The tool's action was accepted, and its gate lets it move."""
    it = TreeBench((), (), robot)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, 0.0, stamp=it.now))
    it.status(moving=False, life='first')
    it.goal(tool, tool=tool, arguments=arguments)
    it.until(lambda: name in it.robot.names)
    (call,) = [each for each in it.context.calls.running() if each.endpoint]
    it.inbox.put(ServerCallUpdate(call.server_call_id, CallInput.ACCEPT))
    it.status(moving=True)
    it.tick(2, after=0.1)
    assert it.context.permits.current.number or it.context.permits.at('base').number
    return it


@pytest.mark.parametrize(('tool', 'arguments', 'name'), OWN)
def test_a_motion_of_the_gates_own_is_lost_with_them(
    tool: str, arguments: dict[str, Any], name: str
) -> None:
    """Its goal ends at once, the base is stopped, and nothing is permitted any more."""
    it = under_way('turtlebot', tool, arguments, name)
    it.status(moving=False, life='second')
    it.tick()
    assert RESTARTED in it.messages('ERROR')
    assert STOP in it.robot.names
    assert not it.context.permits.at('base').number
    it.until(lambda: it.reporter.endings, bound=50)
    assert 'failed' in str(it.reporter.endings[0])
    assert RESTARTED in str(it.reporter.endings[0])


@pytest.mark.parametrize(('robot', 'tool', 'arguments', 'name'), OTHERS)
def test_what_another_server_does_goes_on(
    robot: str, tool: str, arguments: dict[str, Any], name: str
) -> None:
    it = under_way(robot, tool, arguments, name)
    it.status(moving=True, life='second')
    it.tick(5, after=0.1)
    assert not it.reporter.endings
    (call,) = [each for each in it.context.calls.running() if each.endpoint]
    assert call.endpoint is not None
    assert call.endpoint.name == name


def test_what_the_gates_serve_of_each_robot() -> None:
    """Nothing that another process serves; a robot with an adapter of its own: all of that."""
    served = {
        robot: names_at_adapter(TreeBench((), (), robot).context.config)
        for robot in ('turtlebot', 'nav2', 'moveit_arm', 'pyrobosim')
    }
    motions = {name for _, _, name in OWN}
    assert motions | {'/adapter/stop'} <= served['turtlebot']
    for robot in ('nav2', 'moveit_arm', 'pyrobosim'):
        tools = TreeBench((), (), robot).context.registry.values()
        called = {tool.endpoint.name for tool in tools if tool.endpoint is not None}
        assert not called & served[robot], robot
    assert '/adapter/navigate_to_pose' in names_at_adapter(load_config(None))
