"""For every test: this machine only, for ROS and for models, and a ROS domain of its own."""

from __future__ import annotations

from collections.abc import Iterator
import gc
import os
from pathlib import Path
import sys

from domains import next_domain
from hypothesis import HealthCheck, settings
import psutil
import pytest

os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['BT_EXECUTIVE_LOOPBACK_ONLY'] = '1'  # no test asks a hosted model
os.environ['ROS_DOMAIN_ID'] = str(next_domain())

# A failed assert in test/support tells its values, too.
SUPPORT = {path.stem for path in (Path(__file__).parent / 'support').glob('*.py')}
pytest.register_assert_rewrite(*(SUPPORT - sys.modules.keys()))

# How long drawing an example takes says something of the machine alone. `make steady` draws more.
ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The suite is the same each time, so what lands today passes tomorrow; steady runs look further.
settings.register_profile('suite', ANY_MACHINE, max_examples=50, derandomize=True)
settings.register_profile('thorough', ANY_MACHINE, max_examples=300)
settings.load_profile('suite')

MOST_SOCKETS = 20  # of UDP; each participant of a ROS graph has five


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Lets nodes that a test has left behind go.

    A node in a cycle of references keeps its participant alive until the garbage is collected. On
    one machine Fast DDS finds 32 participants of a domain at the most: later tests would wait for
    each other's services in vain.
    """
    yield
    if item.get_closest_marker('ros') and _sockets() > MOST_SOCKETS:
        gc.collect()


def _sockets() -> int:
    return len(psutil.Process().net_connections('udp'))
