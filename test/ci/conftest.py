"""The scripts of .ci, as they are when Make calls them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
import sys
from typing import Any

from papers import ROOT
import pytest

CI = ROOT / '.ci'
MODULES = ('requirements', 'set_up')


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The scripts of .ci, as they are when Make calls them."""
    monkeypatch.syspath_prepend(str(CI))
    yield {name: import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name)
