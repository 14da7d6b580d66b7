"""The adapter of Curiosity: one Trigger service per motion, refused with a reason."""
