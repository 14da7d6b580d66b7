"""The guard bench: scripted planners, judged at the robot (docs/guard_bench.md)."""
