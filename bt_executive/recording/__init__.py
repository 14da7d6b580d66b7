"""A run on disk: trace, tree, pictures, MCAP, summary."""
