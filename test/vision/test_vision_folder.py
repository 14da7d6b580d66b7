"""The files of a robot's vision."""

from __future__ import annotations

from pathlib import Path

import pytest

from rover_vision.vision_folder import PORT_FILE, remove_port_file


@pytest.mark.parametrize(
    ('content', 'is_left'), [('55601\n', False), ('55602\n', True), ('', True)]
)
def test_a_gateway_that_ends_takes_away_no_port_but_its_own(
    tmp_path: Path, content: str, is_left: bool
) -> None:
    path = tmp_path / PORT_FILE
    path.write_text(content, encoding='ascii')
    remove_port_file(path, 55601)
    assert path.exists() is is_left


def test_a_port_file_that_is_gone_is_no_fault(tmp_path: Path) -> None:
    remove_port_file(tmp_path / PORT_FILE, 55601)
