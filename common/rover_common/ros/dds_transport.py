"""How messages travel to, from and within our processes: by UDP, and soon again if they were lost.

Not through shared memory: a process that dies while it reads there leaves Fast DDS's buffer taken
for good, and after some deaths the writer's segment is full: its pictures then reach nobody, old
or new, and nothing says so (https://github.com/eProsima/Fast-DDS/issues/5469). Processes of ours
may be killed.

Not from context to context within a process either, where Fast DDS calls the reader in the thread
of the writer: if a publisher ends at the moment in which the other context discovers its own, both
wait for each other for ever (https://github.com/eProsima/Fast-DDS/issues/6193).
"""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path

VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'  # read by Fast DDS; other middlewares ignore it
PROFILE = Path(__file__).with_name('fast_dds_profile.xml')


def choose_transport(environment: MutableMapping[str, str]) -> None:
    """Sets what Fast DDS reads, unless the user has; to be called before `rclpy.init`."""
    environment.setdefault(VARIABLE, str(PROFILE))
