"""Spatial memory (spec 5): what the rover saw as a semantic forest, asked in words. No ROS."""
