"""The live page: a client of a running system, not a supervisor; killing it harms nothing."""
