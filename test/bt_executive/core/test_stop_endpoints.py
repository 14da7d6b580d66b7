"""What the configuration names as endpoints, and what cannot be one."""

from __future__ import annotations

import pytest

from bt_executive.core.stop_endpoints import stop_endpoints
from rover_common.config.load import load_config
from rover_common.errors import ConfigError


@pytest.mark.parametrize('key', ['stop_endpoint', 'fallback_stop_endpoint'])
@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ('adapter.no_such', 'which `topics` does not have'),
        ('adapter.navigate_to_pose', 'an action .*: name a service'),
    ],
)
def test_what_is_no_service_stops_nothing(key: str, given: str, said: str) -> None:
    config = load_config(None, [f'executive.guards.{key}={given}'])
    with pytest.raises(ConfigError, match=f"guards.{key} is '{given}', {said}"):
        stop_endpoints(config)
