"""The border to rclpy: parts of the node `vision`."""
