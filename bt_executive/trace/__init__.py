"""What is told about a run: events, files, snapshots of the tree."""
