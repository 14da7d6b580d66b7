"""A registry that cannot be used ends the process before it offers anything."""

from __future__ import annotations

from pathlib import Path
import shutil
import sys

import pytest
from warm import warm_run

from rover_common.config.robot_file import default_folder

pytestmark = pytest.mark.ros


def test_every_fault_is_on_the_screen_and_the_exit_code_says_so(tmp_path: Path) -> None:
    folder = tmp_path / 'config'
    shutil.copytree(default_folder(), folder)
    text = (folder / 'robot.yaml').read_text(encoding='utf-8')
    text = text.replace('[camera]', '[kamera]', 1).replace('[mast]\n', '[mist]\n', 1)
    (folder / 'robot.yaml').write_text(
        text.replace('mast_open]', 'mast_opn]', 1), encoding='utf-8'
    )
    command = [sys.executable, '-m', 'bt_executive.ros.executive_node', '--config', str(folder)]
    ended = warm_run(
        [*command, '--run-dir', str(tmp_path / 'run')],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "resource 'kamera' is not known; did you mean 'camera'?" in ended.stderr
    assert "guard 'mast_opn' is not known; did you mean 'mast_open'?" in ended.stderr
    assert 'Traceback' not in ended.stderr
