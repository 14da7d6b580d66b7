"""Leaves that ask the operator, wait for an answer and carry out requests."""
