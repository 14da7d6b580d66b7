"""Where nodes are kept: one port, SQLite for a rover, PostgreSQL for a fleet."""
