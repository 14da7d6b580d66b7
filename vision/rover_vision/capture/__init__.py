"""Asking clients for pictures: the requests, the wire, and what is believed of an answer."""
