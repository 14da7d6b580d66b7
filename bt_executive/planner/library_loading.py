"""Loads the libraries of language models at the first goal, while the tree goes on ticking.

They take two seconds of computing, more than all else that the executive loads. An executive that
starts, or starts again after its death, shall first of all watch its robot and take stops.
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

# In pieces of at most half a second: between two of them a cancelled goal is let go.
OURS = 'bt_executive.planner.rosa_agent'
(EXTRA,) = PlannerSettings.extras
PIECES = ('langsmith', 'langchain_core.prompts', 'openai', 'langchain.agents', 'rosa', OURS)


def why_not_installed() -> str:
    """Return why no goal in words can be pursued here, as a sentence; empty: one can."""
    if not missing_modules(EXTRA):
        return ''
    return f'{needs_extra("A goal in words", EXTRA)} Tools can be called by hand.'


def load_libraries(check: Callable[[], None]) -> None:
    """Imports what an agent needs; at once, if it is there.

    The thread that imports is one that the end of the process waits for: libraries in C++ and Rust
    abort if a thread is taken away inside of them.

    Args:
        check: Called between the pieces; what it raises ends the loading.
    """
    if OURS in sys.modules:
        return
    with no_collection(), ThreadPoolExecutor(1, 'planner-libraries') as loader:
        for piece in PIECES:
            check()
            loader.submit(import_module, piece).result()


@contextmanager
def no_collection() -> Iterator[None]:
    """While much is imported: to look for garbage among it takes a fifth of the time.

    What is alive at the end is never looked at again, see `thread_switch_interval`.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
