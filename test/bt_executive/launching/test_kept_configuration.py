"""What a command keeps of the configuration is what its nodes ask for."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from bt_executive.commands.shared_options import configuration_arguments, overrides
from rover_common.config import load
from rover_common.config.load import cache_config
from rover_common.config.robot_file import default_folder
from rover_common.ros.run_node import parse_options

DASHED = Path('-dash')  # argparse takes its name for another option


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    DASHED.mkdir()
    (DASHED / 'robot.yaml').write_text('extends: curiosity')


@pytest.mark.parametrize('folder', [None, default_folder(), DASHED])
@pytest.mark.parametrize('journal', [None, 'a "journal".sqlite'])
def test_a_node_is_given_what_its_command_has_kept(
    monkeypatch: pytest.MonkeyPatch, folder: Path | None, journal: str | None
) -> None:
    monkeypatch.setattr(load, '_kept', {})
    options = Namespace(config=folder, set=['variant=A'], journal=journal)
    kept = cache_config(options.config, overrides(options))
    asked = [*configuration_arguments(options), '--ros-args', '-r', '/clock:=clock']
    assert parse_options(asked).config is kept
