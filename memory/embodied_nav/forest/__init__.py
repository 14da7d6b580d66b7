"""The semantic forest: nested clusters of places, and the directions between them."""
