"""Chat models by provider: `catalogue` knows what each needs, one module each makes its model.

A module is imported only if its provider is configured: its package may be absent.
"""
