"""Looking again and again: when, and at what it says something."""
