"""The view: one fold of events, for console, page, report, film and MCP server."""
