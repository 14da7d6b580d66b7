"""The gates on the wire."""
