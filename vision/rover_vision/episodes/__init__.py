"""What was seen and said, kept across starts in SQLite."""
