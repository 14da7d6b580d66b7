"""What must outlive the process: records in a SQLite file, and what they say after a restart."""
