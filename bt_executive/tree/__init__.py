"""The tree, first of all its picture in picture.py, and what ticks it."""
