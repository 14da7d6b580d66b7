"""The ROS client of the console and of other front ends."""
