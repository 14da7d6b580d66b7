"""The border of the rover's stand-in to ROS: its time, and what it publishes."""
