"""The names of our nodes, each the same in every run; and the option that one of them has."""

from __future__ import annotations

EXECUTIVE = 'executive'
GATES = 'gates'
MEMORY = 'memory'
VISION = 'vision'
RECORDER = 'recorder'  # started on request only; it ends last, to record the others' last messages
FRESH = '--fresh'  # of the executive alone
