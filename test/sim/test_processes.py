"""The three nodes as processes: they start, say what is wrong, and end when asked."""

from __future__ import annotations

import subprocess
import sys

from network import Network
import pytest
from rclpy.node import Node
from warm import WarmPopen

from rover_common.process.process_end import ENDING_SIGNALS

pytestmark = pytest.mark.ros

MODULES = ('rover_node', 'control_node', 'simulator_node')


def start(module: str, *arguments: str) -> subprocess.Popen[str]:
    return WarmPopen(
        [sys.executable, '-m', f'curiosity_sim.{module}', *arguments],
        stderr=subprocess.PIPE,
        text=True,
    )


def test_they_end_cleanly_when_asked(network: Network) -> None:
    probe = network.add(Node('probe'))
    processes = [start(module) for module in MODULES]
    try:
        wanted = {'rover', 'curiosity_control', 'environment_simulator'}
        network.wait_until(lambda: wanted <= set(probe.get_node_names()))
        for process, number in zip(processes, ENDING_SIGNALS, strict=True):  # handled alike
            process.send_signal(number)
        for process in processes:
            errors = process.communicate(timeout=120.0)[1]
            assert process.returncode == 0, errors
            assert 'Traceback' not in errors
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_bad_value_is_one_sentence_and_exit_code_2() -> None:
    process = start('rover_node', '--set', 'curiosity.rover.rocks=many')
    errors = process.communicate(timeout=120.0)[1]
    assert process.returncode == 2
    assert 'rover.rocks' in errors
    assert 'Traceback' not in errors
