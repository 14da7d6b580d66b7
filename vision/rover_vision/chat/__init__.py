"""A turn of conversation that may look before it answers."""
