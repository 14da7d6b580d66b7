"""What several packages share. Knows none of them."""
