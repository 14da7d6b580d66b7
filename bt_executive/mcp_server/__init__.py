"""The agents' door: the robot's tools over the Model Context Protocol (docs/mcp.md)."""
