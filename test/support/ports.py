"""Ports of loopback for the servers of tests: nobody else takes one between two of its servers."""

from __future__ import annotations

import itertools

from domains import DOMAINS, own_domain

# Above those that Linux gives to connections that go out, as sysctl net.ipv4.ip_local_port_range
# says: a port that was found free among those may be somebody's a moment later.
_FIRST = 61000
_EACH = (65536 - _FIRST) // len(DOMAINS)
_numbers = itertools.count()


def next_port() -> int:
    """A port of this process's share, another one each time."""
    return _FIRST + DOMAINS.index(own_domain()) * _EACH + next(_numbers) % _EACH
