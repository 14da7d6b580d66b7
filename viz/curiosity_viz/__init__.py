"""Markers for RViz."""
