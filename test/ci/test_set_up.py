"""What the set-up does beside installing: .ci/set_up.py on folders of the test's own."""

from __future__ import annotations

import os
from pathlib import Path
import sys
from typing import Any

import pytest

from rover_common.wheels.interface_wheels import InterfaceWheels


def test_equal_libraries_become_one_file(scripts: dict[str, Any], tmp_path: Path) -> None:
    library = tmp_path / 'lib'
    library.mkdir()
    texts = {'libdds.so': 'dds', 'libdds.so.2': 'dds', 'libyaml.so': 'yaml', 'dds.py': 'dds'}
    for name, text in texts.items():
        (library / name).write_text(text)
    scripts['set_up'].share_files(tmp_path)
    assert {path.name: path.read_text() for path in library.iterdir()} == texts
    assert (library / 'libdds.so').samefile(library / 'libdds.so.2')
    assert (library / 'dds.py').stat().st_nlink == (library / 'libyaml.so').stat().st_nlink == 1


def test_what_is_not_run_is_not_kept(scripts: dict[str, Any], tmp_path: Path) -> None:
    site = 'lib/python3.11/site-packages'
    gone = ('include/rcl', f'{site}/scipy/fft/tests', f'{site}/pip/_internal/__pycache__')
    of_pypy = tmp_path / site / 'zstandard' / '_cffi.cpython-311.so'
    of_pypy.parent.mkdir(parents=True)
    of_pypy.touch()
    kept = ('include/python3.11', f'{site}/numpy/_core/tests', f'{site}/rclpy/__pycache__')
    for name in (*gone, *kept):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    scripts['set_up'].forget_what_is_not_run(tmp_path)
    assert not [name for name in gone if (tmp_path / name).exists()]
    assert not of_pypy.exists()
    assert not [name for name in kept if not (tmp_path / name).exists()]


def test_what_ends_the_installation_beside_the_compiler_ends_the_set_up(
    scripts: dict[str, Any],
) -> None:
    def install() -> None:
        raise OSError('no space left')

    with pytest.raises(OSError, match='no space left'):
        scripts['set_up']._beside(install, list)


class Said:
    """Keeps what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print_line(self, text: str) -> None:
        self.lines.append(text)


@pytest.mark.parametrize('writable', [True, False])
def test_where_the_users_cache_cannot_be_written_another_one_is_told(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    home = tmp_path / 'cache'
    home.mkdir() if writable else home.touch()
    monkeypatch.setenv('XDG_CACHE_HOME', str(home))
    monkeypatch.delenv('PIP_CACHE_DIR', raising=False)
    monkeypatch.setattr(InterfaceWheels, 'to_compile', lambda *_: [tmp_path])
    said = Said()
    scripts['set_up']._choose_cache(said)
    own = str(Path(sys.prefix) / 'cache')
    assert os.environ['XDG_CACHE_HOME'] == (str(home) if writable else own)
    assert os.environ.get('PIP_CACHE_DIR') == (None if writable else own)
    assert bool(said.lines) is not writable
