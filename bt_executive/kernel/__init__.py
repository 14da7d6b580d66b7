"""Pure tables and rules: no clock, no thread, no ROS."""
