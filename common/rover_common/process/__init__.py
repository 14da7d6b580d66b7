"""What a process owes its neighbours: names, folders, an end."""
