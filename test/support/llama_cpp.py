"""A fixture: xllamacpp can be found. The package of the extra local is none of the suite."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def llama_cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a module of that name."""
    (tmp_path / 'xllamacpp.py').touch()
    monkeypatch.syspath_prepend(tmp_path)
