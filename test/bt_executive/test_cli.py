"""The command line as a user meets it: exit codes, and one clear message for every mistake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil
import signal
import socket
import subprocess
import sys
from typing import Any

import pytest
from warm import warm_run

from bt_executive import cli
from bt_executive.cli import make_parser
from bt_executive.commands.node_vision_client_and_bench_commands import BENCHES
from bt_executive.launching.system_processes import NODES
from embodied_nav import spatial_memory
from rover_common.config.robot_file import default_folder
from rover_common.errors import UsageError
from rover_common.process.process_end import INTERRUPTED, NOT_REACHED
from rover_common.ros import installed_definitions

pytestmark = pytest.mark.process


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*arguments: str, output: Any = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
        return warm_run(
            [sys.executable, '-m', 'bt_executive', *arguments],
            cwd=tmp_path,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(default_folder(), tmp_path / 'config'))


@pytest.mark.parametrize('command', ['demo', 'up', 'doctor', 'node executive'])
def test_a_broken_configuration_ends_every_command_before_it_begins(
    run: Any, folder: Any, command: str, tmp_path: Path
) -> None:
    (folder / 'thresholds.yaml').write_text('light_model: {x_min: 0.0, x_good: far}\n')
    result = run(*command.split(), '--config', str(folder))
    assert result.returncode == 2
    assert "thresholds.yaml: 'light_model.x_good' is 'far'" in result.stderr
    assert 'Traceback' not in result.stderr + result.stdout
    assert not (tmp_path / 'runs').exists()


@pytest.mark.ros
def test_a_wrong_skill_is_reported_before_any_process_starts(
    run: Any, folder: Any, tmp_path: Path
) -> None:
    skills = folder / 'robot.yaml'
    text = skills.read_text(encoding='utf-8')
    skills.write_text(text.replace('[camera]', '[kamera]', 1), encoding='utf-8')
    result = run('up', '--config', str(folder))  # `demo` begins in the same way
    assert result.returncode == 2
    assert "resource 'kamera' is not known; did you mean 'camera'?" in result.stderr
    assert 'Traceback' not in result.stderr
    assert not (tmp_path / 'runs').exists()


@pytest.mark.ros
def test_a_world_that_cannot_be_made_is_reported_before_any_process_starts(
    run: Any, tmp_path: Path
) -> None:
    result = run('demo', '--set', 'rover.world=crater', '--set', 'rover.start.x=27')
    assert result.returncode == 2
    assert 'the rover starts in the keep-out zone' in result.stderr
    assert not (tmp_path / 'runs').exists()


@pytest.mark.parametrize('command', ['web', 'foxglove'])
def test_a_command_that_writes_no_run_does_not_offer_to(run: Any, command: str) -> None:
    assert 'where the run is written' not in ' '.join(run(command, '--help').stdout.split())


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['up', '--set', 'light_model.x_god=3'], "did you mean 'light_model.x_good'?"),
        (['up', '--without', 'adaptr'], "no node 'adaptr'"),
        (['node', 'rovr'], "Did you mean 'rover'?"),
        (['up', '--config', '/does/not/exist'], 'does not exist: check --config'),
        (['demo', '--run-dir', '/proc/no'], "Run folder '/proc/no' cannot be made"),
        (['web', '--port', '99999'], '--port is 99999: give a port from 1 to 65535'),
        (['up', '--journal', ''], "--journal: '' names no file or folder"),
        (['memory', 'stats', '--store', ' '], "--store: ' ' names no file or folder"),
        (['memory', 'ask', 'rock', '--near', '-3,nan'], "--near takes X,Y in m, not '-3,nan'"),
        (['fly'], "invalid choice: 'fly'"),
        ([], 'required: COMMAND'),
        (['up', '--confg', 'x'], 'unrecognized arguments'),
    ],
)
def test_a_mistake_is_explained_with_exit_code_2(run: Any, arguments: Any, words: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert words in result.stderr
    assert 'Traceback' not in result.stderr


@pytest.mark.parametrize('command', ['up', 'doctor', 'learn robot'])
def test_a_middleware_that_is_not_here_is_one_sentence(
    run: Any, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('RMW_IMPLEMENTATION', 'rmw_carrier_pigeon')
    result = run(*command.split())
    assert result.returncode == 2
    assert "RMW_IMPLEMENTATION is 'rmw_carrier_pigeon'" in result.stderr
    assert run('report', '--help').returncode == 0, 'which enters no ROS'


def test_a_full_shared_memory_is_refused_before_ros_is_entered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise UsageError('full')

    monkeypatch.setattr(cli, 'check_shared_memory', refuse)
    with pytest.raises(UsageError, match='full'):
        cli.run_command(['console'], [])


@pytest.mark.parametrize('command', ['up', 'web', 'node executive'])
def test_nothing_enters_ros_with_messages_of_another_version(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_definitions, 'DIGEST', 'another')
    monkeypatch.setattr(cli, 'choose_log_folder', lambda _: pytest.fail('it goes on'))
    with pytest.raises(UsageError, match='another version of this program'):
        cli.run_command(command.split(), [])


def test_a_terminal_obeys_nothing_in_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise UsageError('No model \x1b[2J.')

    monkeypatch.setattr(cli, 'run_command', fail)
    with pytest.raises(SystemExit):
        cli.main(['doctor'])
    assert capsys.readouterr().err == 'bt-executive: No model \ufffd[2J.\n'


@pytest.mark.parametrize('action', [['stats'], ['export', 'page.html']])
def test_a_store_is_named_without_its_password(
    action: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    opened = spatial_memory.open_memory(':memory:')
    monkeypatch.setattr(spatial_memory, 'open_memory', lambda *_args, **_named: opened)
    monkeypatch.chdir(tmp_path)
    store = ['--store', 'postgresql://joe:pAss-W0rd@host/map']
    assert cli.run_command(['memory', *action, *store], []) == 0
    pages = [each.read_text(encoding='utf-8') for each in tmp_path.glob('*.html')]
    told = capsys.readouterr().out + ''.join(pages)
    assert 'postgresql://***@host/map' in told
    assert 'pAss-W0rd' not in told


def test_an_unknown_node_lists_the_known_ones(run: Any) -> None:
    words = run('node', 'moon').stderr
    assert all(node.name in words for node in NODES)


@pytest.mark.ros
def test_doctor_finds_everything_here(run: Any) -> None:
    result = run('doctor')
    assert result.returncode == 0, result.stdout
    parts = ('tree host', 'transforms', 'launch')
    for words in ('discovery range', 'planner', 'offline', 'variant', 'rmw_', *parts):
        assert words in result.stdout


@pytest.mark.ros
def test_doctor_finds_a_journal_that_cannot_be_kept(run: Any) -> None:
    result = run('doctor', '--set', 'journal.file=/dev/null/journal.sqlite')
    assert result.returncode == 1
    assert 'journal: make it usable, or name another file with --journal FILE' in result.stdout


@pytest.mark.parametrize(
    'command',
    [
        'journal check --journal ~no-such-user/x',
        'memory stats --store ~no-such-user/x',
        'memory stats --set journal.file=~no-such-user/x',
        'episodes --set vision.folder=~no-such-user/x',
    ],
)
def test_the_folder_of_an_unknown_user_is_one_sentence(run: Any, command: str) -> None:
    result = run(*command.split())
    assert result.returncode == 2
    assert "'~no-such-user/x' names no file or folder" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.ros
def test_a_page_that_cannot_be_served_leaves_no_run_behind(run: Any, tmp_path: Path) -> None:
    with socket.create_server(('127.0.0.1', 0)) as taken:
        result = run('up', '--web', '--port', str(taken.getsockname()[1]))
    assert result.returncode == 2
    assert 'port' in result.stderr
    assert not (tmp_path / 'runs').exists()


def test_only_the_executive_keeps_a_journal(run: Any) -> None:
    result = run('node', 'rover', '--fresh')
    assert result.returncode == 2
    assert '--fresh is for executive alone' in result.stderr


def test_an_output_that_cannot_be_written_is_one_sentence(run: Any) -> None:
    with open('/dev/full', 'w') as full:
        result = run('doctor', output=full)
    assert result.returncode == NOT_REACHED
    assert result.stderr.startswith('bt-executive: ')
    assert 'No space left' in result.stderr
    assert 'the output could not be written' in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_no_color_holds_for_this_process_and_the_nodes_that_it_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('NO_COLOR', '')
    environments: list[dict[str, str]] = []

    def doctor(_options: object, seen: dict[str, str], *_others: object) -> None:
        environments.append(dict(seen))

    monkeypatch.setattr('bt_executive.console.doctor.run_doctor', doctor)
    with pytest.raises(SystemExit):
        cli.main(['doctor', '--no-color'])
    assert environments[0]['NO_COLOR'] == '1'


def test_a_module_is_imported_without_what_it_may_not_need() -> None:
    of_cli = {'bt_executive.tree', 'jinja2', 'langchain_core', 'numpy', 'prompt_toolkit'}
    of_cli |= {'rclpy', 'rich', 'shapely'}
    code = f"""
import sys
import bt_executive.cli
assert not (found := {of_cli} & {{*sys.modules}}), found
import bt_executive.console.doctor  # it says that ROS is missing
assert 'rclpy' not in sys.modules
"""
    result = subprocess.run([sys.executable, '-c', code], check=False, capture_output=True)
    assert (result.returncode, result.stderr) == (0, b'')


def test_the_name_of_a_file_says_which_commands_are_in_it() -> None:
    (commands,) = [
        each.choices for each in make_parser()._actions if isinstance(each.choices, dict)
    ]
    where = {
        name: commands[name].get_default('run').__module__ for name in commands.keys() - BENCHES
    }
    elsewhere = [name for name, file in where.items() if name.replace('-', '_') not in file]
    assert not elsewhere


INTERRUPTED_WHILE_IMPORTING = """
import signal, sys
from bt_executive.__main__ import main

class Interrupter:
    def find_spec(self, name, *_):
        if name == 'bt_executive.cli':
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
main()
"""


def test_an_interrupt_while_libraries_are_imported_shows_no_traceback() -> None:
    command = [sys.executable, '-c', INTERRUPTED_WHILE_IMPORTING]
    result = subprocess.run(command, check=False, capture_output=True)
    assert (result.returncode, result.stderr) == (-signal.SIGINT, b'')


INTERRUPTED_AGAIN = """
import atexit, os, signal
from bt_executive import cli
from bt_executive.__main__ import main

def interrupt(*_):
    signal.raise_signal(signal.SIGINT)

def interrupt_twice(*_):
    os.dup2 = interrupt  # which the first one leads to
    interrupt()

cli.run_command = {command}
atexit.register(interrupt)
main()
"""


@pytest.mark.parametrize('command', ['interrupt', 'interrupt_twice', 'lambda *_: 0'])
def test_an_interrupt_while_a_command_ends_shows_no_traceback(command: str) -> None:
    arguments = [sys.executable, '-c', INTERRUPTED_AGAIN.format(command=command)]
    result = warm_run(arguments, capture_output=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (-signal.SIGINT, b'')


LOST = """
import signal
import sys
import weakref
from bt_executive import cli

class Node:
    pass

def interrupt(*_):
    signal.raise_signal(signal.SIGINT)

class Dying:
    __del__ = interrupt

def in_destructor():
    Dying()

def in_callback():
    node = Node()
    reference = weakref.ref(node, interrupt)
    del node

def command(*_):
    {where}()
    signal.pause()

cli.run_command = command
cli.main(['up'])
"""


@pytest.mark.parametrize('where', ['in_destructor', 'in_callback'])
def test_an_interrupt_is_not_lost_where_python_drops_exceptions(where: str) -> None:
    result = warm_run(
        [sys.executable, '-c', LOST.format(where=where)],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr) == (INTERRUPTED, b'')


def test_an_interrupt_ends_a_command_that_a_shell_has_put_into_the_background(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, 'run_command', lambda *_: signal.raise_signal(signal.SIGINT))
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main(['doctor'])
    finally:
        signal.signal(signal.SIGINT, usual)
    assert ended.value.code == INTERRUPTED


@pytest.mark.ros
@pytest.mark.parametrize('name', ['verbose', 'rich_ui'])
def test_agent_parameters_of_the_command_line_hold_for_the_console_too(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    seen: list[Any] = []

    def console(options: Any, *_others: object) -> int:
        seen.append(options)
        return 0

    monkeypatch.setattr('bt_executive.console.console_start.run_console', console)
    with pytest.raises(SystemExit):
        cli.main(['console', '--ros-args', '-p', f'agent_{name}:=false'])
    agent = seen[0].config.executive.agent
    assert getattr(agent, name) is False
    assert seen[0].attached
