"""Injected faults of the embedded rover and the node of each. Pure."""

from __future__ import annotations

from rover_common.config.settings.injected_faults import FAULT_NODES, REMOVED, nearest_faults
from rover_common.errors import UsageError

NODES = tuple(dict.fromkeys(FAULT_NODES.values()))


def node_of(fault: str) -> str:
    """Return the node that has a fault.

    Raises:
        UsageError: There is no such fault; the text names the nearest ones.
    """
    if fault.startswith(REMOVED) and fault != REMOVED:
        return 'rover'  # it checks whether its world has what is to be removed
    if fault not in FAULT_NODES:
        raise UsageError(f'Unknown fault {fault!r:.80}; {nearest_faults(fault)}.')
    return FAULT_NODES[fault]


def toggled(active: tuple[str, ...], fault: str, on: bool | None) -> tuple[str, ...]:
    """Return the active faults after one was switched; `on` None: toggles it."""
    switched_on = fault not in active if on is None else on
    others = tuple(name for name in active if name != fault)
    return (*others, fault) if switched_on else others
