"""Episodes: looks with their answers, stored in SQLite."""
