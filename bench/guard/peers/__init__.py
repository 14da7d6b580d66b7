"""Other agents for ROS on the cases of the guard bench, each in an environment of its own."""
