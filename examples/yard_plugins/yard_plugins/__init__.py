"""Plug-ins of a robot that works in a yard: one of each kind."""
