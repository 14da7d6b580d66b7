"""For every test: this machine only, for ROS and for models, and a ROS domain of its own."""

from __future__ import annotations

import os
from pathlib import Path
import sys

from domains import next_domain
from hypothesis import HealthCheck, settings
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
