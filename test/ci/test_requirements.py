"""What is installed for which part: .ci/requirements.py."""

from __future__ import annotations

import subprocess
import sys

from papers import ROOT
import pytest

CI = ROOT / '.ci'


def printed(*arguments: str) -> list[str]:
    command = [sys.executable, str(CI / 'requirements.py'), str(ROOT / 'setup.cfg'), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else [done.stderr]


@pytest.mark.process
def test_the_base_needs_no_extra_and_no_tool_of_the_tests() -> None:
    base = {line.partition('=')[0].partition('>')[0] for line in printed()}
    assert {'py_trees', 'ros-rclpy[fastrtps]', 'shapely'} <= base
    of_extras = {'mcp', 'langchain-ollama~', 'langchain~', 'jpl-rosa', 'opencv-python-headless'}
    assert base.isdisjoint({'pytest', 'mypy', 'ruff', 'cmake', *of_extras})
    assert not [each for each in base if each.endswith('_interfaces')]  # from wheels of ours


@pytest.mark.process
def test_what_is_compiled_with_is_no_part_of_the_environment() -> None:
    assert not {'ninja', 'catkin_pkg'} & set(printed('--all-extras'))
    assert {'ninja', 'catkin_pkg'} <= set(printed('--only', 'interfaces'))


@pytest.mark.process
def test_a_model_of_llama_cpp_and_a_cluster_are_not_set_up() -> None:
    few = {'xllamacpp>=2026.10', 'ray>=2.30,<3'}
    assert not few & set(printed('--all-extras'))
    assert set(printed('--only', 'local', 'ray')) == few


@pytest.mark.process
def test_a_distribution_gets_no_wheels_of_ros() -> None:
    assert not [line for line in printed('--without-ros') if line.startswith('ros-')]


@pytest.mark.process
def test_an_unknown_extra_is_named() -> None:
    (complaint,) = printed('telepathy')
    assert "no extra 'telepathy'; it has: rosa, rover, anthropic" in complaint
