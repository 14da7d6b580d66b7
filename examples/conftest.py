"""Installs the examples for their tests, without pip."""

from __future__ import annotations

from pathlib import Path
import sys

from plugin_packages import YARD, install_example
import pytest

sys.path.insert(0, str(YARD))  # the tests import it when they are collected


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_example(tmp_path / 'site', monkeypatch)
