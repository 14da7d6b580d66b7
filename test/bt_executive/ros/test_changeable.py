"""Parameters that act at run time are none of those from which the tree was built."""

from __future__ import annotations

from bt_executive.ros.executive_node import CHANGEABLE
from rover_common.config.settings import BatteryLimits


def test_of_the_battery_all_but_the_tool_in_the_tree_may_change() -> None:
    changeable = {path[2] for path in CHANGEABLE if path[:2] == ('executive', 'battery')}
    assert changeable == BatteryLimits.model_fields.keys() - {'before_rest'}
