"""Drives to a place with straight lines and arcs. Everything here is pure but the navigator."""
