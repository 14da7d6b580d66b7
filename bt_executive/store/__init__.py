"""The store: what must outlive the process, in one SQLite file of a robot, and run folders."""
