"""Messages that are installed as another version of the program has them are one sentence."""

from __future__ import annotations

from pathlib import Path
import sys

import pytest

from rover_common.errors import UsageError
from rover_common.ros import installed_definitions, run_node
from rover_common.ros.installed_definitions import (
    DIGEST,
    PACKAGE,
    check_definitions,
    digest_of,
    other_definitions,
)

OURS = Path(__file__).resolve().parents[3] / 'interfaces' / PACKAGE


def test_the_digest_is_that_of_the_definitions() -> None:
    assert digest_of(OURS) == DIGEST, 'write it into installed_definitions.py'
    assert other_definitions() == ''


@pytest.fixture
def definition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only message of a package that is imported."""
    folder = tmp_path / 'share' / PACKAGE
    file = folder / 'msg' / 'Beat.msg'
    file.parent.mkdir(parents=True)
    file.write_text('string sender\n', encoding='utf-8')
    package = tmp_path / 'lib' / 'python3' / 'site-packages' / PACKAGE
    package.mkdir(parents=True)
    (package / '__init__.py').touch()
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    monkeypatch.setattr(installed_definitions, 'DIGEST', digest_of(folder))
    return file


def test_a_comment_is_no_difference(definition: Path) -> None:
    definition.write_text('# who it is\nstring   sender # one\n', encoding='utf-8')
    check_definitions()


def test_a_field_more_is_a_sentence_that_names_the_folder(definition: Path) -> None:
    definition.write_text('string sender\nuint64 permit\n', encoding='utf-8')
    with pytest.raises(UsageError, match=f'{definition.parents[1]}.*another version.*make setup'):
        check_definitions()


def test_a_package_without_its_definitions_is_believed(definition: Path) -> None:
    definition.unlink()
    check_definitions()


def test_no_node_begins_with_other_messages(
    definition: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    definition.write_text('', encoding='utf-8')
    with pytest.raises(SystemExit, match='2'):
        run_node.run_node(lambda _: pytest.fail('it has begun'), [])
    assert 'another version of this program' in capsys.readouterr().err
