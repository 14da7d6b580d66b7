"""Requests of front ends to the executive and the events that they receive, without ROS."""
