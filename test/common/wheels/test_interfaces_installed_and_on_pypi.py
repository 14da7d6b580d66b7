"""What is installed to compile against an interface package that is here."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import Distribution
import json
from pathlib import Path
from typing import Any

import pytest

from rover_common.wheels.interfaces_installed_and_on_pypi import to_compile_with


class Wheel(Distribution):
    """A distribution that pip installed from the wheel at a path."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read_text(self, filename: str) -> str | None:
        is_origin = filename == 'direct_url.json'
        return json.dumps({'url': self._path.as_uri()}) if is_origin else None

    def locate_file(self, path: Any) -> Any:
        return self._path.parent / path

    @property
    def metadata(self) -> Any:
        told = Message()
        told['Name'], told['Version'] = 'ros-shape-msgs', '5.3.6'
        return told

    @property
    def requires(self) -> list[str]:
        return []


@pytest.mark.parametrize('is_there', [True, False])
def test_a_wheel_that_was_downloaded_and_is_gone_is_got_again(
    tmp_path: Path, is_there: bool
) -> None:
    path = tmp_path / 'ros_shape_msgs-5.3.6-cp311-cp311-manylinux_2_28_x86_64.whl'
    if is_there:
        path.touch()
    wanted = str(path) if is_there else 'ros-shape-msgs==5.3.6'
    assert [*to_compile_with(Wheel(path))] == [wanted]
