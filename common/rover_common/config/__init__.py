"""The configuration folder: loaded, checked, overridden."""
