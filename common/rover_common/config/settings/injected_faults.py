"""The faults that the embedded rover can be given: their names, and which node has which."""

from __future__ import annotations

from collections.abc import Iterable
import difflib
from typing import Annotated

from pydantic import AfterValidator

LONGEST_REMOVED = 200  # bytes of the name of a rock
BODY_FAULTS = (
    *('camera_off', 'camera_frozen', 'camera_corrupt', 'tf_off', 'tf_jumping', 'wheel_slip'),
    *('mast_jammed', 'battery_lost', 'battery_low', 'clock_jump'),
)
SERVICE_FAULTS = ('hang', 'fail', 'late')
FAULTY_SERVICES = (
    *('move_forward', 'turn_left', 'turn_right', 'move_stop'),
    *('mast_open', 'mast_close', 'mast_rotate', 'capture_and_score'),
)
# Which node has which; `{how}:{name}` spoils a service, and its node has the fault.
FAULT_NODES = {
    **dict.fromkeys(BODY_FAULTS, 'rover'),
    **{
        f'{how}:{name}': (
            'environment_simulator' if name == 'capture_and_score' else 'curiosity_control'
        )
        for name in FAULTY_SERVICES
        for how in SERVICE_FAULTS
    },
}
REMOVED = 'removed:'  # and the name of a rock of the world, which is then not there


def nearest_faults(name: str, names: Iterable[str] = (*FAULT_NODES, f'{REMOVED}NAME')) -> str:
    """Returns how a sentence about an unknown fault ends: with the nearest ones, or all kinds."""
    names = sorted(names)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        return f'the nearest: {", ".join(close)}'
    kinds = dict.fromkeys(each.partition(':')[0] + ':…' * (':' in each) for each in names)
    example = next((f', such as {each}' for each in names if ':' in each), '')
    return f'there are {", ".join(kinds)}{example}'


def _fault(name: str) -> str:
    removed = name.removeprefix(REMOVED) if name.startswith(REMOVED) else ''
    if name not in FAULT_NODES and not 0 < len(removed) <= LONGEST_REMOVED:
        raise ValueError(f'there is no such fault; {nearest_faults(name)}')
    return name


Fault = Annotated[str, AfterValidator(_fault)]
