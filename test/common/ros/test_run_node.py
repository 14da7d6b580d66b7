"""How a node process begins: its options, its log, and what it says when it cannot begin."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Any

from domains import next_domain
from known import known
import pytest
from rclpy.node import Node
from warm import warm_run

from rover_common.errors import ConfigError
from rover_common.process.process_end import ENDING_SIGNALS, UNUSABLE
from rover_common.ros import run_node
from rover_common.ros.entering_ros import VARIABLE, name_the_run
from rover_common.ros.run_node import NodeOptions, parse_options

pytestmark = pytest.mark.process

CHATTY = """
import os, signal, sys
from rclpy.node import Node
from rover_common.ros.run_node import run_node

class Chatty(Node):
    def __init__(self, options):
        super().__init__('chatty', **options.node_arguments())
        self.get_logger().info('hello')
        os.kill(os.getpid(), signal.SIGTERM)

run_node(Chatty, sys.argv[1:])
"""


STUCK = """
import os, signal, sys
from rclpy.node import Node
from rover_common.ros import run_node

class Stuck(Node):
    def __init__(self, options):
        super().__init__('stuck', **options.node_arguments())
        os.kill(os.getpid(), signal.SIGTERM)

    def destroy_node(self):
        while True:
            pass

run_node.TEARDOWN_LIMIT_S = 0.1
run_node.run_node(Stuck, sys.argv[1:])
"""
# Has nothing to do, and would look at itself only after the limit of the test.
WAITING = """
import os, signal, sys, threading
from rclpy.node import Node
from rover_common.ros import run_node

class Waiting(Node):
    def __init__(self, options):
        super().__init__('waiting', **options.node_arguments())
        threading.Timer(0.5, os.kill, (os.getpid(), number)).start()

number = int(sys.argv.pop())
run_node.SPIN_S = 600.0
run_node.run_node(Waiting, sys.argv[1:])
"""
SET_BY_A_NODE = ('ROS_LOG_DIR', 'RCUTILS_CONSOLE_OUTPUT_FORMAT', VARIABLE)


def run(
    *arguments: object, script: str = CHATTY, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in SET_BY_A_NODE}
    return warm_run(
        [sys.executable, '-c', script, *map(str, arguments)],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.ros
def test_every_line_names_the_run_on_the_console_and_in_the_run_folder(tmp_path: Path) -> None:
    ended = run('--run-dir', tmp_path / 'today', '--ros-args', '-r', '__ns:=/rover_1')
    assert ended.returncode == 0, ended.stderr
    line = '[rover_1.chatty] [today]: hello'
    assert line in ended.stdout + ended.stderr
    assert line.replace('hello', 'Ready') in ended.stdout + ended.stderr
    (log,) = (tmp_path / 'today' / 'logs').iterdir()
    assert line in log.read_text()


@pytest.mark.ros
def test_a_node_that_does_not_get_out_of_the_graph_ends_all_the_same() -> None:
    ended = run(script=STUCK)
    assert ended.returncode == 1
    assert 'Traceback' not in ended.stderr
    assert 'Timeout' not in ended.stderr


@pytest.mark.ros
@pytest.mark.parametrize('number', ENDING_SIGNALS)
def test_a_signal_ends_a_wait_for_messages(number: signal.Signals) -> None:
    ended = run(int(number), script=WAITING)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--ros-args', '--log-level', 'loud'], 'a level is one of debug, info'),
        (['--ros-args', '-r', '__node:=1 2'], 'the name of a node consists of letters'),
        (['--ros-args', '-p', 'use_sim_time:=maybe'], 'write true or false'),
    ],
)
def test_unusable_arguments_are_one_sentence_and_an_exit_code_of_their_own(
    arguments: Any, words: str
) -> None:
    ended = run(*arguments)
    assert ended.returncode == UNUSABLE
    assert words in ended.stderr
    assert 'Traceback' not in ended.stderr


@pytest.mark.ros
@pytest.mark.parametrize('reach', ['LOCALHOST', 'SUBNET'])
@pytest.mark.parametrize('profile', ['ours', "the user's"])
def test_no_memory_is_shared_that_a_killed_process_could_hold(
    tmp_path: Path, reach: str, profile: str
) -> None:
    users = tmp_path / 'empty.xml'
    users.write_text('<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles"/>')
    variables = {} if profile == 'ours' else {VARIABLE: str(users)}
    variables['ROS_DOMAIN_ID'] = str(next_domain())  # who writes to others may map their memory
    listing = "print(open('/proc/self/maps').read())"
    script = CHATTY.replace("self.get_logger().info('hello')", listing)
    ended = run(script=script, ROS_AUTOMATIC_DISCOVERY_RANGE=reach, **variables)
    assert ended.returncode == 0, ended.stderr
    assert ('/dev/shm/fastrtps_port' in ended.stdout) is (profile != 'ours')
    assert 'XMLPARSER' not in ended.stderr  # Fast DDS can read the profile


def test_a_terminal_obeys_nothing_in_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> NodeOptions:
        raise ConfigError('No model \x1b[2J.')

    monkeypatch.setattr(run_node, 'parse_options', fail)
    with pytest.raises(SystemExit):
        run_node.run_node(Node, [])
    assert capsys.readouterr().err == 'No model \ufffd[2J.\n'


def test_ros_arguments_are_left_to_ros_and_simulated_time_is_heard() -> None:
    argv = ['--set', 'variant=A', '--ros-args', '-p', 'use_sim_time:=true', '--', '--set', 'x=1']
    with pytest.raises(ConfigError, match="unknown key 'x'"):
        parse_options(argv)
    options = parse_options(argv[:5])
    assert options.config.executive.variant == 'A'
    assert options.config.executive.use_sim_time is True
    assert options.run_dir is None


def test_a_node_that_records_gets_a_fresh_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = (parse_options([], records=True).run_dir for _ in range(2))
    assert first != second
    assert known(first).is_dir()
    assert known(second).parent == Path('runs')


def test_what_the_user_chose_for_the_log_is_left_as_it_is() -> None:
    chosen = {'RCUTILS_CONSOLE_OUTPUT_FORMAT': '{message}', 'ROS_LOG_DIR': '/mine'}
    environment = dict(chosen)
    name_the_run(Path('runs/{odd}'), environment)
    assert environment == chosen
    fresh: dict[str, str] = {}
    name_the_run(Path('runs/{odd}'), fresh)
    assert fresh['RCUTILS_CONSOLE_OUTPUT_FORMAT'].endswith('[(odd)]: {message}')
