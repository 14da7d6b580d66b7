"""Reads and writes the GML files of spec 5; the store stays the source of truth."""
