"""Leaves that ask the planner, check its proposals and evaluate the round."""
