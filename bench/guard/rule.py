"""A rule of the product that can be removed, and by what its function is replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Layer = Literal['tree', 'adapter', 'gate', 'assembly', 'outcome']


@dataclass(frozen=True)
class Rule:
    """A rule that can be removed.

    Attributes:
        without: What is replaced: `module:Class.function`, or `module:function`; several, with a
            blank between them, where two look at the same thing.
        by: What it is replaced with, made from what was there.
        families: Where the cases that must fail then are looked for first.
    """

    name: str
    layer: Layer
    without: str
    by: Callable[[Any], Any]
    families: tuple[str, ...] = ()


def returns(value: Any) -> Callable[[Any], Any]:
    """Return what makes a function that returns a value, whatever it is given."""
    return lambda _original: lambda *_arguments, **_named: value


NOTHING = returns(None)
PASSES = returns(True)
