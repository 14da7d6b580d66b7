"""The registry of tools: its validation, and the mapping of requests and responses."""
