"""The border to ROS 2: the only folder of the executive that imports rclpy."""
