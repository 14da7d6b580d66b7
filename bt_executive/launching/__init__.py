"""The processes of the system: their table, checks before the start, start and restart."""
