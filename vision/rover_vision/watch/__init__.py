"""Periodic looks: when, and on what to comment."""
