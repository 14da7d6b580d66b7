"""Drives to a pose by straight lines and arcs, requested from the adapter by setpoints."""
