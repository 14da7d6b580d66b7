"""The permit rules: what may move only while the executive permits it."""
