"""The arguments of the launch files, and what a node gets of them, without the package launch.

Where launch is there, test/system/test_launch.py does the same with the launch files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
import os
from pathlib import Path
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any, get_args

from domains import next_domain
from known import known
import psutil
import pytest

from bt_executive.launching.launch_arguments_and_node_options import (
    ARGUMENTS,
    PROVIDERS,
    ROVER_ARGUMENTS,
    Argument,
    LaunchPlan,
    overrides,
)
from bt_executive.launching.system_processes import NODES, ROVER_NODES
from rover_common.config.dotted_keys import parse_override
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import PlannerSettings
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.new_run_folder import claim_run_folder, make_run_folder
from rover_common.process.node_name_lock import lock_name
from rover_common.process.process_end import ENVIRONMENT
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, GATES, MEMORY, RECORDER

EVERY = {**ARGUMENTS, **ROVER_ARGUMENTS}
DEFAULTS = {name: argument.default for name, argument in EVERY.items()}


def test_by_default_nothing_is_changed() -> None:
    assert not list(overrides(DEFAULTS, EVERY))


def test_every_key_of_an_argument_is_one_of_the_configuration() -> None:
    given = {
        **DEFAULTS,
        'variant': 'A',
        'planner': 'ollama',
        'use_sim_time': 'true',
        'world': 'dunes',
        'set': 'light_model.x_good=8 "planner.model=a b"',
    }
    config = load_config(None, overrides(given, EVERY))
    assert config.executive.variant == 'A'
    assert config.executive.use_sim_time is True
    assert (config.executive.planner.provider, config.executive.planner.model) == ('ollama', 'a b')
    assert config.curiosity.rover.world.name == 'dunes'
    assert config.thresholds.light_model.x_good == 8.0


@pytest.mark.parametrize(
    'path', ['/data/run #2/a: b.db', '"a"\\', '/data/Mu\u0308ller/岩.db', 'null']
)
def test_a_path_is_taken_as_it_is(path: str) -> None:
    given = {**DEFAULTS, 'journal': path, 'world': path}
    assert [parse_override(each)[1] for each in overrides(given, EVERY)] == [path, path]


def test_quotes_that_do_not_end_are_reported() -> None:
    given = {**DEFAULTS, 'set': "planner.model='a b"}
    with pytest.raises(UsageError, match=r'set is .* has no partner'):
        list(overrides(given, EVERY))


def test_the_choices_are_those_of_the_configuration() -> None:
    assert get_args(PlannerSettings.model_fields['provider'].annotation) == PROVIDERS


def test_defaults_are_among_the_choices() -> None:
    for argument in EVERY.values():
        assert not argument.choices or argument.default in argument.choices


def plan(
    run_dir: str | Path, arguments: Mapping[str, Argument] = EVERY, **given: str
) -> LaunchPlan:
    defaults = {name: argument.default for name, argument in arguments.items()}
    return LaunchPlan({**defaults, 'run_dir': str(run_dir), **given}, arguments)


@pytest.mark.ros
@pytest.mark.parametrize(
    ('arguments', 'given', 'left_out'),
    [
        (EVERY, {}, {RECORDER}),
        (EVERY, {'record': 'true'}, set()),
        (EVERY, {'memory': 'false'}, {RECORDER, MEMORY}),
        (EVERY, {'rover': 'false'}, {RECORDER, *ROVER_NODES}),
        (ARGUMENTS, {}, {RECORDER, *ROVER_NODES}),
    ],
)
def test_every_node_that_is_started_has_a_lifeline(
    tmp_path: Path, arguments: Any, given: Any, left_out: Any
) -> None:
    made = plan(tmp_path, arguments, **given)
    assert {node.name for node in made.nodes} == {node.name for node in NODES} - {GATES} - left_out
    for node in made.nodes:
        assert made.node_environment(node)[ENVIRONMENT]


@pytest.mark.ros
def test_only_the_executive_starts_fresh_and_only_once(tmp_path: Path) -> None:
    made = plan(tmp_path, journal='/data/own.sqlite', fresh='true')
    assert made.config.executive.journal.file == '/data/own.sqlite'
    firsts = {node.name for node in made.nodes if '--fresh' in made.node_options(node, True)}
    assert firsts == {EXECUTIVE}
    for node in made.nodes:
        options = made.node_options(node, False)
        assert '--fresh' not in options
        assert 'journal.file="/data/own.sqlite"' in options


@pytest.mark.ros
def test_the_folders_may_be_in_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'robot').symlink_to(default_folder() / 'robots' / 'turtlebot')
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.chdir(tmp_path)
    made = plan('~/run', ARGUMENTS, config='~/robot')
    assert made.run_dir == tmp_path / 'run'
    assert str((tmp_path / 'robot').resolve()) in made.node_options(made.nodes[0], False)


@pytest.mark.ros
def test_a_folder_that_another_run_writes_to_is_reported(tmp_path: Path) -> None:
    with (
        claim_run_folder(make_run_folder(tmp_path)),
        pytest.raises(UsageError, match='Another run'),
    ):
        plan(tmp_path, ARGUMENTS)


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'world': 'moon'}, 'there is no such world'),
        ({'set': 'rover.start.x=nan'}, 'rover.start.x'),
        ({'planner': 'openai'}, 'planner.model'),
        ({'namespace': '1 2'}, 'use letters, digits and underscores'),
    ],
)
def test_what_cannot_be_used_is_reported_and_no_folder_is_made(
    tmp_path: Path, given: Any, words: str
) -> None:
    with pytest.raises(BtExecutiveError, match=words):
        plan(tmp_path / 'run', **given)
    assert not (tmp_path / 'run').exists()


def test_a_stack_that_runs_already_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = next_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    with lock_name('/rover_1/executive', domain), pytest.raises(UsageError, match='runs already'):
        plan(tmp_path, namespace='rover_1')


@pytest.mark.process
def test_nodes_end_in_their_order_when_the_launch_is_killed(tmp_path: Path) -> None:
    """Started as launch does it: by asyncio, which hands no file descriptors on."""
    (tmp_path / 'node.py').write_text(
        textwrap.dedent("""
        import sys, threading
        from rover_common.process.process_end import watch_lifeline
        ended = threading.Event()
        watch_lifeline(ended.set)
        print('ready', flush=True)
        ended.wait()
        with open('diary', 'a') as diary:
            diary.write(sys.argv[1] + ' ')
        """)
    )
    here = Path(__file__)
    script = f'import sys; sys.path.insert(0, {str(here.parent)!r}); import {here.stem} as t; '
    paths = os.pathsep.join(filter(None, sys.path))
    launch = subprocess.Popen(
        [sys.executable, '-c', f'{script}t.start()'],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, 'PYTHONPATH': paths},
    )
    assert launch.stdout is not None
    started = launch.stdout.readline().split()
    assert started, 'nothing was started'
    children = psutil.Process(launch.pid).children()
    assert len(children) == len(started)
    launch.send_signal(signal.SIGKILL)
    launch.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive
    order = (tmp_path / 'diary').read_text().split()
    assert order[:2] == [EXECUTIVE, 'curiosity_adapter']
    assert sorted(order) == sorted(started)


def start() -> None:
    """In the process that is killed: starts a plan's nodes, small programs in their place."""

    async def begin() -> None:
        made = plan('run')
        for node in made.nodes:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, 'node.py', node.name),
                env={**os.environ, **made.node_environment(node)},
                stdout=asyncio.subprocess.PIPE,
            )
            assert await known(child.stdout).readline() == b'ready\n'
        print(*(node.name for node in made.nodes), flush=True)
        time.sleep(600)

    asyncio.run(begin())
