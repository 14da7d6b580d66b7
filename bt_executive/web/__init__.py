"""The live page: a window onto a running system, not a supervisor; killing it harms nothing."""
