"""The names of our nodes, each the same in every run; and the option that one of them has."""

from __future__ import annotations

EXECUTIVE = 'executive'
GATES = 'gates'
MEMORY = 'memory'
VISION = 'vision'
RECORDER = 'recorder'  # started when asked for only; it ends last, to hear the others' last words
FRESH = '--fresh'  # of the executive alone
