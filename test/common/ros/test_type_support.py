"""Messages are used without their code generator, which can be imported nevertheless."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

USE_A_MESSAGE = (
    'from rclpy.serialization import serialize_message; from std_msgs.msg import String; '
    'assert serialize_message(String(data="x"))'
)
LEAVE_OUT = (
    'from rover_common.ros.type_support import leave_out_code_generator; '
    'leave_out_code_generator()'
)
GENERATE = 'from rosidl_generator_py.generate_py_impl import generate_py'
IS_IT_LOADED = 'import sys; print("lark" in sys.modules)'


@pytest.mark.parametrize(
    ('steps', 'loaded'),
    [
        pytest.param([USE_A_MESSAGE], True, id='as ROS has it'),
        pytest.param([LEAVE_OUT, USE_A_MESSAGE], False, id='left out'),
        pytest.param([LEAVE_OUT, LEAVE_OUT, USE_A_MESSAGE], False, id='left out twice'),
        pytest.param([USE_A_MESSAGE, LEAVE_OUT], True, id='too late'),
        pytest.param([LEAVE_OUT, USE_A_MESSAGE, GENERATE], True, id='wanted later'),
    ],
)
def test_code_generator(steps: list[str], loaded: bool) -> None:
    command = [sys.executable, '-c', '\n'.join([*steps, IS_IT_LOADED])]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str(loaded)
