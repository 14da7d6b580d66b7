"""Drives to a place with straight lines and arcs; asks the adapter for each motion by setpoints."""
