"""The semantic forest: places that lie together, level over level, and directions between them."""
