"""The console: its conversation with the operator, its processes, and its output."""
