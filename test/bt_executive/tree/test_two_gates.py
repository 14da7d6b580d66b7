"""A base and an arm behind a gate each: what begins beside the other, and what waits for it."""

from __future__ import annotations

from tree_bench import TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import PoseReceived, ServerCallUpdate

DRIVE, REACH, KNOCK = '/gates/base/straight', '/reach', '/knock'
TOOLS = (
    'robot.gates.arm={action: /reach}',
    'robot.tools.reach={gate: arm, action: {name: /reach, type: demo/action/Reach}}',
    'robot.tools.knock={service: {name: /knock, type: demo/srv/Knock}, idempotent: true}',
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


def test_a_drive_begins_while_the_executive_moves_the_arm() -> None:
    robot = Robot(f'parallel: [ reach, {{ sequence: [ knock, {DRIVES} ] }} ]')
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
