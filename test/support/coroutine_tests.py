"""Tests that are coroutines: the hook that runs them, for a conftest to import."""

from __future__ import annotations

import asyncio
import inspect

import pytest

LIMIT_S = 60.0


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test in an event loop of its own, for a limited time."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    asyncio.run(asyncio.wait_for(test, LIMIT_S))
    return True
