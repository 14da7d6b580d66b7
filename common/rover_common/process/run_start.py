"""When the run of a system began, passed on to its processes in the environment."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
import math

RUN_START_VARIABLE = 'BT_EXECUTIVE_RUN_BEGAN'


def export_run_start(environment: MutableMapping[str, str], began: float) -> None:
    """Passes on when the run began, in system s: all that is shown of it counts from there."""
    environment[RUN_START_VARIABLE] = f'{began:.3f}'


def run_start(environment: Mapping[str, str]) -> float | None:
    """Return when the run of this process began, in system s; None: not set."""
    try:
        began = float(environment.get(RUN_START_VARIABLE, ''))
    except ValueError:
        return None
    return began if math.isfinite(began) and began > 0.0 else None
