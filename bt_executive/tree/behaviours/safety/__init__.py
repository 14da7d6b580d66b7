"""Leaves and decorators that stop, hold and guard."""
