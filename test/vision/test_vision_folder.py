"""The files of a robot's vision."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from meanwhile import do_before_statement
import pytest

from rover_vision.episodes.episode_store import APPLICATION_ID, FORMAT
from rover_vision.vision_folder import PORT_FILE, open_database, remove_port_file


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


def test_two_gateways_that_begin_at_once_have_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> None:
        made = open_database(
            tmp_path / 'episodes.sqlite', APPLICATION_ID, FORMAT, 'episodes/schema.sql'
        )
        with closing(made):
            assert made.execute('SELECT count(*) FROM episodes').fetchone() == (0,)

    do_before_statement(monkeypatch, 'PRAGMA synchronous', make)
    make()
