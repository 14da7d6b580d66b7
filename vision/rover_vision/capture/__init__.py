"""Requests of pictures to clients: state, wire formats, and validation of answers."""
