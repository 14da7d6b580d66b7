"""Values and pure tables: no clock, no thread, no ROS."""
