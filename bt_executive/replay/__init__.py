"""Replays a recorded run through the same tree, without ROS, and compares the decisions."""
