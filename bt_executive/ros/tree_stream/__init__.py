"""Trees on the wire: the protocol of py_trees_ros, for its viewer and watchers."""
