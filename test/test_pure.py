"""Tests without a marker start nothing: what test/support/pure.py holds them to."""

from __future__ import annotations

import os
import subprocess
import sys

from pure import ImpureError
import pytest
import rclpy

NOTHING = [sys.executable, '-c', '']


@pytest.fixture(scope='module')
def refusal_of_a_fixture() -> str:
    with pytest.raises(ImpureError) as error:
        subprocess.run(NOTHING, check=True)
    return str(error.value)


def test_no_process(refusal_of_a_fixture: str) -> None:
    for start in (lambda: subprocess.run(NOTHING, check=True), lambda: os.system('true')):
        with pytest.raises(ImpureError, match='test_no_process starts a process'):
            start()
    assert 'mark it `process`' in refusal_of_a_fixture


def test_no_graph() -> None:
    with pytest.raises(ImpureError, match=r'test_no_graph joins a ROS graph .* mark it `ros`'):
        rclpy.init(context=rclpy.Context())


@pytest.mark.process
def test_with_the_marker_a_process() -> None:
    assert subprocess.run(NOTHING, check=True).returncode == 0


@pytest.mark.ros
def test_with_the_marker_a_graph() -> None:
    context = rclpy.Context()
    rclpy.init(context=context)
    context.shutdown()
