"""What every node process shares: the only folder of the package that imports rclpy."""
