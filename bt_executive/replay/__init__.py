"""A recorded run through the same tree again, without ROS: the same decisions, or which differ."""
