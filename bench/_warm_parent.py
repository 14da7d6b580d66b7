"""One parent that forks the processes of a measurement, as `bt-executive up` has it done."""

from __future__ import annotations

from functools import cache

from bt_executive.launching.system_processes import NODES, preload_nodes
from rover_common.process.warm_parent import WarmParent


@cache
def warm_parent() -> WarmParent:
    """To be called first before this process has ROS: what is forked after that finds nobody."""
    return WarmParent(lambda: preload_nodes(NODES))
