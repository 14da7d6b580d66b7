"""Checks before the start of the executive: tools, examples, stop endpoints, the model."""

from __future__ import annotations

from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.planner.configured_planner import check_provider
from bt_executive.skills.argument_schema_validation import check_example_files
from bt_executive.skills.tool_registry import Registry
from rover_common.config.settings import Config
from rover_common.ros.interface_classes_and_fields import resolve


def check_executive(config: Config) -> None:
    """Raises ConfigError if tools, examples, stop endpoints or the model are faulty."""
    Registry(config, resolve)
    check_example_files(config.robot)
    stop_endpoints(config)
    check_provider(config.executive.planner)
