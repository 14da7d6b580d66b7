"""Explores every state that a machine can come to, breadth first: the shortest way to a fault.

A machine is made of the product's own tables and classes, and of messages under way. Nothing of
the product is modelled a second time: a state is the content of these objects.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
import pickle
from typing import Protocol, TypeAlias

MOST_STATES = 4_000_000


class Machine(Protocol):
    """What is explored. It can be pickled: each move is made with a copy."""

    def moves(self) -> Sequence[str]:
        """Everything that can happen in this state."""

    def do(self, move: str) -> str:
        """Execute one move; return the invariant that it breaks, in plain words, or ''."""

    def key(self) -> Hashable:
        """Equal for states from which the same can happen."""


@dataclass(frozen=True)
class Exploration:
    """What was found. `fault`: the invariant that does not hold; `path`: how to get there.

    `complete`: every state that can be reached was visited.
    """

    name: str
    states: int
    moves: int
    complete: bool = True
    fault: str = ''
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.fault:
            return f'{self.name}: {self.fault}; after {", ".join(self.path)}'
        end = 'all of them' if self.complete else 'the limit'
        return (
            f'{self.name}: {self.states} states, {self.moves} moves, {end}; every invariant holds'
        )


Path: TypeAlias = 'tuple[()] | tuple[Path, str]'  # the path before it, and a move


def _from_begin(path: Path) -> tuple[str, ...]:
    moves = []
    while path:
        path, move = path
        moves.append(move)
    return tuple(reversed(moves))


def _digest(machine: Machine) -> bytes:
    """Return 16 bytes for a state: keys themselves would not fit into memory."""
    return blake2b(repr(machine.key()).encode(), digest_size=16).digest()


def explore(name: str, begin: Machine, most: int = MOST_STATES) -> Exploration:
    """Visit every state; end at the first fault."""
    seen = {_digest(begin)}
    waiting: deque[tuple[bytes, Path]] = deque([(pickle.dumps(begin, -1), ())])
    moves = 0
    while waiting:
        machine, path = waiting.popleft()
        for move in pickle.loads(machine).moves():
            after: Machine = pickle.loads(machine)
            moves += 1
            fault = after.do(move)
            if fault:
                return Exploration(name, len(seen), moves, False, fault, _from_begin((path, move)))
            key = _digest(after)
            if key not in seen:
                if len(seen) >= most:
                    return Exploration(name, len(seen), moves, False)
                seen.add(key)
                waiting.append((pickle.dumps(after, -1), (path, move)))
    return Exploration(name, len(seen), moves)
