"""Sentences that the specifications fix to the letter and that more than one package says."""

MOVE_IN_PROGRESS = 'Move in progress'  # spec 1, section 8.1
