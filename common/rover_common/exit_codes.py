"""Exit codes of our programs."""

from __future__ import annotations

DONE, NOT_REACHED, USAGE, INTERRUPTED = 0, 1, 2, 130
UNUSABLE = 2  # exit code of a process that cannot use its options; starting it again is no help
