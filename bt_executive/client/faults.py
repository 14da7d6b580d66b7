"""The faults of the embedded rover: their names, and which node each is of."""

from __future__ import annotations

import difflib

from rover_common.config.settings.world import FAULTS
from rover_common.errors import UsageError

ROVER, SIMULATOR, CONTROL = 'rover', 'environment_simulator', 'curiosity_control'
NODES = (ROVER, SIMULATOR, CONTROL)
CAPTURE = 'capture_and_score'


def node_of(fault: str) -> str:
    """The node that has a fault.

    Raises:
        UsageError: There is no such fault; the text lists them.
    """
    if fault not in FAULTS:
        close = difflib.get_close_matches(fault, FAULTS, n=1)
        hint = f' Did you mean {close[0]}?' if close else ''
        raise UsageError(f'Unknown fault {fault!r:.80}.{hint} Known faults: {" ".join(FAULTS)}')
    if ':' not in fault:
        return ROVER
    return SIMULATOR if fault.endswith(f':{CAPTURE}') else CONTROL


def toggled(active: tuple[str, ...], fault: str, on: bool | None) -> tuple[str, ...]:
    """The faults after one was switched; `on` None: to the other position."""
    want = fault not in active if on is None else on
    rest = tuple(each for each in active if each != fault)
    return (*rest, fault) if want else rest
