"""How a command has ended, as its exit code."""

DONE, NOT_REACHED, USAGE, INTERRUPTED = 0, 1, 2, 130
