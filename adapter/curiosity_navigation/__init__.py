"""Drives to a pose by straight lines and arcs; gives each motion to the adapter by setpoints."""
