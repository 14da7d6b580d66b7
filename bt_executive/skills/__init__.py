"""The registry of tools and how their arguments are checked."""
