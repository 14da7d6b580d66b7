"""The executive: a behavior tree that disposes what a model proposes."""
