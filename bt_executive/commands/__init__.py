"""What the commands of the command line put together from all parts of the project."""
