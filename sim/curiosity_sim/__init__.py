"""Stand-ins for Curiosity in Gazebo, and the environment simulator of the demo."""
