"""A server with a robot that the test plays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from coroutine_tests import pytest_pyfunc_call  # noqa: F401  # a hook
from mcp_stage import Stage
import pytest

from bt_executive.mcp_server import mcp_request_handlers as server_module


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(server_module, 'PROGRESS_S', 0.01)
    made = Stage(tmp_path)
    yield made
    made.close()
