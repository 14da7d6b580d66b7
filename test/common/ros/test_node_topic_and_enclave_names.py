"""Each process asks for the keys of its own enclave, and one that gets none says so."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest
from warm import warm_run

from bt_executive.launching.system_processes import NODES
from rover_common.ros.node_topic_and_enclave_names import CONSOLE, enclave_of

pytestmark = pytest.mark.ros
FILES = ('identity_ca.cert.pem', 'cert.pem', 'key.pem', 'permissions_ca.cert.pem')
SIGNED = ('governance.p7s', 'permissions.p7s')


@pytest.mark.parametrize('node', NODES, ids=lambda node: node.name)
def test_a_node_has_an_enclave_by_its_program_and_by_its_module(node: Any) -> None:
    wanted = f'/bt_executive/{node.name}'
    assert enclave_of(node.name) == enclave_of(node.module.rpartition('.')[2]) == wanted


def test_whatever_a_program_is_called_ros_takes_the_name() -> None:
    assert enclave_of('-c') == '/bt_executive/_c'
    assert enclave_of('überwacher 2') == '/bt_executive/_berwacher_2'


@pytest.mark.parametrize(
    ('command', 'enclave', 'keys'),
    [
        (['node', 'rover'], '/bt_executive/rover', ()),
        (['up', '--without', 'recorder'], CONSOLE, FILES + SIGNED),
        (['doctor'], CONSOLE, ()),
        (['doctor'], CONSOLE, FILES + SIGNED),
    ],
    ids=['node', 'up, keys that are none', 'doctor', 'doctor, keys that are none'],
)
def test_without_keys_there_is_a_sentence_and_no_traceback(
    tmp_path: Path, command: list[str], enclave: str, keys: tuple[str, ...]
) -> None:
    folder = tmp_path / 'enclaves' / enclave.lstrip('/')
    folder.mkdir(parents=True)
    for name in keys:
        (folder / name).write_text('no key\n', encoding='utf-8')
    security = {
        'ROS_SECURITY_ENABLE': 'true',
        'ROS_SECURITY_STRATEGY': 'Enforce',
        'ROS_SECURITY_KEYSTORE': str(tmp_path),
    }
    done = warm_run(
        [sys.executable, '-m', 'bt_executive', *command],
        cwd=tmp_path,
        env={**os.environ, **security},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == (1 if command == ['doctor'] else 2), said
    assert 'Traceback' not in said
    assert 'ROS_SECURITY_ENABLE is true: docs/security.md' in said
    assert enclave in said or keys
