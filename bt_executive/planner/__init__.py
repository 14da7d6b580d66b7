"""Planners: the only folder that imports langchain and rosa."""
