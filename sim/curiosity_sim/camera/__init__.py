"""Draws what the mast camera sees of a world: pure, seeded, without ROS."""
