"""The finite part of the executive, explored exhaustively from the code that runs."""
