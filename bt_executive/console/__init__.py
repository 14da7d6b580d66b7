"""The terminal: commands, processes, what is printed."""
