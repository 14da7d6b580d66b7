"""Models by provider: `catalogue` knows what each needs, the others make them, by its protocol.

A module is imported only if its provider is configured: its package may be absent.
"""
