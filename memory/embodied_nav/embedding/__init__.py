"""Words and vectors that need no model: tokens, hashed embedding."""
