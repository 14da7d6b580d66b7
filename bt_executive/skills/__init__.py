"""The registry of tools: how they are checked, asked for and understood."""
