"""Leaves that ask the operator, wait for an answer and do as told."""
