"""A plug-in of a test, and how long its calls are waited for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import sys
from types import ModuleType
from typing import Any

from faulty_plugins import MODULE, Hanging, Plug
from plugin_packages import write_metadata
import pytest
from tree_bench import registry

from bt_executive.plugins import checked_plugin_calls
from bt_executive.plugins.checked_plugin_calls import thread_of
from bt_executive.plugins.installed_plugins import load


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Installs an object as the plug-in `own` of a group."""

    def install(group: str, plugin: Any) -> None:
        module = ModuleType(MODULE)
        module.own = plugin  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, MODULE, module)
        folder = tmp_path / group
        write_metadata(folder, 'own_plugins', {group: {'own': f'{MODULE}:own'}})
        monkeypatch.syspath_prepend(str(folder))
        load.cache_clear()
        registry.cache_clear()  # it has the plug-in before

    yield install
    load.cache_clear()
    registry.cache_clear()


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine makes nothing late."""
    monkeypatch.setattr(checked_plugin_calls, 'LIMIT_S', 120.0)
    thread_of.cache_clear()


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """One that is waited for shortly."""
    monkeypatch.setattr(checked_plugin_calls, 'LIMIT_S', 0.05)
    it = Hanging()
    yield it
    it.release()
