"""The motions that the rover has: keys of topics.yaml, section adapter."""

MOTIONS = ('move_forward', 'turn_left', 'turn_right')
