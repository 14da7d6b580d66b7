"""The leaves of the tree, one per file."""
