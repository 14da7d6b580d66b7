"""The MCP server: the robot's tools for agents of others (docs/mcp.md)."""
