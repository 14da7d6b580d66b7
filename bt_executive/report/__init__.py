"""A run folder as one page for a person who was not there. Reads files; knows nothing of ROS."""
