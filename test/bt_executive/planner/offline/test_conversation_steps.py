"""What a refusal says must be done first, on any robot."""

from __future__ import annotations

import pytest

from bt_executive.planner.offline.conversation_steps import remedy_for
from bt_executive.planner.offline.offered_tools import Tools, tools_by_name
from rover_common.config.robot_examples import RobotExamples


def offered(*names: str, **schemas: dict[str, object]) -> Tools:
    functions = [{'name': name, 'parameters': schemas.get(name, {})} for name in names]
    return tools_by_name(({'function': each} for each in functions), RobotExamples({}), {})


@pytest.mark.parametrize(
    ('reason', 'mend'),
    [
        ('Need to close gripper', 'gripper_close'),
        ('Gripper is closed', 'gripper_open'),
        ('Gripper is open', 'gripper_close'),
        ('Lamp is off', 'lamp_on'),
        ('Move in progress', 'move_stop'),
        ('Gripper is stuck', None),
        ('Gripper is closed and locked', None),
        ('Door is closed', None),
        ('Need to open door', None),
        ('', None),
        ('is closed', None),
    ],
)
def test_a_refusal_asks_for_an_offered_tool(reason: str, mend: str | None) -> None:
    tools = offered('gripper_open', 'gripper_close', 'lamp_on', 'move_stop')
    assert remedy_for(reason, tools) == mend


def test_a_tool_that_needs_an_argument_mends_nothing() -> None:
    tools = offered('gripper_open', gripper_open={'required': ['width_m']})
    assert remedy_for('Gripper is closed', tools) is None
