"""What a front end sends to the executive and is told by it, without ROS."""
