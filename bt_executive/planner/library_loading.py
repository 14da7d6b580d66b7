"""Loads the libraries of language models at the first goal, while the tree ticks.

They take two seconds of computing, more than all else that the executive loads. After a start or a
restart the executive must first of all watch its robot and accept stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
import gc
from importlib import import_module
import sys

from rover_common.config.settings import PlannerSettings
from rover_common.extras import missing_modules, needs_extra

# Each takes at most half a second; a goal can be cancelled between two of them.
AGENT = 'bt_executive.planner.rosa_agent'
(EXTRA,) = PlannerSettings.extras
LIBRARIES = ('langsmith', 'langchain_core.prompts', 'openai', 'langchain.agents', 'rosa', AGENT)


def why_not_installed() -> str:
    """Return a sentence why goals in words are not supported here; empty: they are."""
    if not missing_modules(EXTRA):
        return ''
    return f'{needs_extra("A goal in words", EXTRA)} Tools can be called by hand.'


def load_libraries(check: Callable[[], None]) -> None:
    """Import the libraries of an agent; return at once if they are loaded.

    The process waits for the importing thread before it ends: libraries in C++ and Rust abort if a
    thread ends inside them.

    Args:
        check: Called between the libraries; its exception ends the loading.
    """
    if AGENT in sys.modules:
        return
    with garbage_collection_paused(), ThreadPoolExecutor(1, 'planner-libraries') as loader:
        for library in LIBRARIES:
            check()
            loader.submit(import_module, library).result()


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection during imports, of which it takes a fifth of the time.

    Objects alive at the end are not collected any more, see `shorten_switch_interval`.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
