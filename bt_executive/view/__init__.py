"""One fold of what happened into what people are shown. Console, page, report, film, MCP draw."""
