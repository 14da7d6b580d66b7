"""Faults of the embedded rover, switched by name: which node has which. Pure."""

from __future__ import annotations

from rover_common.config.settings.injected_faults import FAULT_NODES, REMOVED, nearest_faults
from rover_common.errors import UsageError

NODES = tuple(dict.fromkeys(FAULT_NODES.values()))


def node_of(fault: str) -> str:
    """The node that has a fault.

    Raises:
        UsageError: There is no such fault; the text names the nearest ones.
    """
    if fault.startswith(REMOVED) and fault != REMOVED:
        return 'rover'  # which knows whether its world has it
    if fault not in FAULT_NODES:
        raise UsageError(f'Unknown fault {fault!r:.80}; {nearest_faults(fault)}.')
    return FAULT_NODES[fault]


def toggled(active: tuple[str, ...], fault: str, on: bool | None) -> tuple[str, ...]:
    """The faults after one was switched; `on` None: to the other position."""
    want = fault not in active if on is None else on
    rest = tuple(each for each in active if each != fault)
    return (*rest, fault) if want else rest
