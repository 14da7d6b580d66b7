"""Leaves and decorators that run a tool."""
