"""Poses, transforms, paths and zones, without ROS."""
