"""The C code of messages, without what generated it.

The first message of a process imports `rosidl_generator_py` for one function of ten lines. That
package imports its code generator besides, and so em, lark and regex: 0.25 s of processor time and
15 MB. It does without the generator by itself where these are not installed.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
import sys

PACKAGE = 'rosidl_generator_py'
GENERATOR = 'rosidl_generator_py.generate_py_impl'


def leave_out_code_generator() -> None:
    """Call it before the first message is used. The generator itself can be imported later."""
    if PACKAGE in sys.modules:
        return
    sys.modules[GENERATOR] = None  # type: ignore[assignment]  # as if it were not installed
    try:
        with suppress(ImportError):  # a distribution whose messages do not need the package
            import_module(PACKAGE)
    finally:
        del sys.modules[GENERATOR]
