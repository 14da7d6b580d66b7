"""ROS domains of the tests: none is used twice at a time, however many processes run tests."""

from __future__ import annotations

from collections import deque
import itertools
import os
from typing import TextIO

from bt_executive.launching.system_processes import NODES
from rover_common.errors import UsageError
from rover_common.process.node_name_lock import check_names_are_free, lock_name

# Fast DDS computes ports from the domain id: up to 101 is safe beside Linux' ephemeral ports.
DOMAINS = range(50, 100)
_AT_A_TIME = 3  # of one process: its own, and those of the systems of a test
_numbers = itertools.count(os.getpid())
# With their locks; the first is this process's own, for as long as it lives.
_held: deque[tuple[int, TextIO]] = deque()


def next_domain() -> int:
    """A domain of this process's share, another one each time: the dead of one haunt no other.

    Domains in which somebody's rover drives on this machine, or another suite runs, are left out.
    """
    worker = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw'))
    share = len(DOMAINS) // int(os.environ.get('PYTEST_XDIST_WORKER_COUNT', '1'))
    mine = DOMAINS[worker * share :][:share]
    for _ in mine:
        domain = mine[next(_numbers) % share]
        if _take(domain):
            return domain
    raise AssertionError(
        f'Each ROS domain from {mine[0]} to {mine[-1]} is in use: end what runs on this machine '
        '(rovers, other runs of these tests), and start again'
    )


def forget_domains() -> None:
    """Leaves the domains of the process from which this one was forked to it."""
    _held.clear()


def own_domain() -> int:
    """The domain that no other process has as long as this one runs tests."""
    return _held[0][0] if _held else next_domain()


def _take(domain: int) -> bool:
    try:
        check_names_are_free([node.name for node in NODES], (), {'ROS_DOMAIN_ID': str(domain)})
        _held.append((domain, lock_name('/tests', domain)))
    except UsageError:
        return False
    if len(_held) > _AT_A_TIME:
        _held[1][1].close()
        del _held[1]
    return True
