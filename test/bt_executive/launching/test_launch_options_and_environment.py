"""What a launch file starts, and that its nodes end with it: without launch itself.

Where launch is there, test/system/test_launch.py does the same with the launch files.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any

from domains import next_domain
from known import known
import psutil
import pytest

from bt_executive.launching.launch_arguments import ARGUMENTS, ROVER_ARGUMENTS, Argument
from bt_executive.launching.launch_options_and_environment import LaunchPlan
from bt_executive.launching.system_processes import NODES, ROVER_NODES
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.node_name_lock import lock_name
from rover_common.process.process_end import ENVIRONMENT
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, GATES, MEMORY, RECORDER

EVERY = {**ARGUMENTS, **ROVER_ARGUMENTS}


def plan(run_dir: str | Path, arguments: dict[str, Argument] = EVERY, **given: str) -> LaunchPlan:
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
        assert 'journal.file=/data/own.sqlite' in options


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
