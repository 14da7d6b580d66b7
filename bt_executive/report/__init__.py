"""A report of a run folder as one page, film or zip. Reads files only; independent of ROS."""
