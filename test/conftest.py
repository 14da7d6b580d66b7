"""For every test: this machine only, for ROS and for models, and a ROS domain of its own."""

from __future__ import annotations

import os

# Fast DDS computes ports from the domain id: up to 101 is safe beside Linux' ephemeral ports.
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['BT_EXECUTIVE_LOOPBACK_ONLY'] = '1'  # no test asks a hosted model
os.environ['ROS_DOMAIN_ID'] = str(50 + os.getpid() % 50)
