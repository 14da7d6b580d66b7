"""The adapter of a base that Nav2 drives: a gate for its velocities (docs/your_robot.md)."""
