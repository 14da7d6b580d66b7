"""Configurations of the same content, wherever their files with examples are."""

from __future__ import annotations

from rover_common.config.settings import Config


def content_of(config: Config) -> Config:
    """Return a configuration that does not say where files with examples are."""
    robot = config.robot.model_copy(update={'example_files': ()})
    return config.model_copy(update={'robot': robot})
