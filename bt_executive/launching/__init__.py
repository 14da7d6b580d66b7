"""Processes: which, how they are started and restarted, and what is checked before."""
