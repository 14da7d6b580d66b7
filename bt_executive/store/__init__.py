"""Persistence: the store of a robot, in one SQLite file, and the run folders."""
