"""What may be None in general, and is not where a test looks."""

from __future__ import annotations

from typing import TypeVar

Value = TypeVar('Value')


def known(value: Value | None) -> Value:
    """The value; fails where there is none."""
    assert value is not None
    return value
